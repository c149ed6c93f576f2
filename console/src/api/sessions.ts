// Conversations and their messages.
import { get, write } from "./http";
import { page, type Page } from "./pages";

export interface Session {
  id: string;
  user_id: string;
  title: string | null;
  status: "pending" | "running" | "completed" | "failed";
  state_snapshot: Record<string, unknown>;
  skill: string | null;
  scenario: string | null;
  billing_currency: string;
  created_at: string;
  updated_at: string;
}

export interface Attachment {
  name: string;
  media_type: string;
  path: string;
}

export type Metadata =
  | { type: "user_input"; client_message_id?: string | null; attachments?: Attachment[] }
  | { type: "tool_call"; tool_call_id: string; name: string; arguments: Record<string, unknown> }
  | { type: "tool_result"; tool_call_id: string; name: string; status: ToolStatus }
  | { type: "assistant_output"; stage?: string; incomplete?: boolean; reasoning_content?: string | null }
  | { type: "stage_audit"; stage: string; data?: unknown };

export type ToolStatus = "succeeded" | "failed" | "denied" | "unknown";

export interface Message {
  id: string;
  session_id: string;
  turn_id: string | null;
  seq: number;
  role: "user" | "assistant" | "system" | "tool";
  content: string | null;
  metadata: Metadata;
  call_id: string | null;
  input_tokens: number;
  cached_input_tokens: number;
  output_tokens: number;
  cost: string | null;
  currency: string;
  created_at: string;
}

export function sessions(cursor: string | undefined, signal?: AbortSignal): Promise<Page<Session>> {
  return page<Session>("/api/sessions", { limit: "40", cursor }, signal);
}

export function session(id: string, signal?: AbortSignal): Promise<Session> {
  return get<Session>(`/api/sessions/${id}`, signal);
}

export function deleteSession(id: string): Promise<void> {
  return write<void>("DELETE", `/api/sessions/${id}`);
}

export function messages(
  id: string,
  options: { cursor?: string; audit?: boolean; limit?: number } = {},
): Promise<Page<Message>> {
  const { cursor, audit, limit = 60 } = options;
  return page<Message>(`/api/sessions/${id}/messages`, {
    limit: String(limit),
    cursor,
    audit: audit ? "true" : undefined,
  });
}
