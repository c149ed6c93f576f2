// Runs, what they told, and the calls that wait for somebody's word.
import type { ResumeEntry } from "../agui/events";
import type { JsonSchema } from "../ui/schema";
import { get, write } from "./http";
import { page, type Page } from "./pages";

export type RunStatus = "queued" | "running" | "waiting" | "completed" | "failed" | "cancelled";

export interface Run {
  id: string;
  session_id: string;
  turn: number;
  status: RunStatus;
  parent_run_id: string | null;
  attempts: number;
  error_id: string | null;
  error_code: string | null;
  error_detail: string | null;
  created_at: string;
  started_at: string | null;
  ended_at: string | null;
}

export interface RunEvent {
  seq: number;
  type: string;
  data: Record<string, unknown>;
  at: string;
}

export interface Approval {
  id: string;
  run_id: string;
  session_id: string;
  call_id: string;
  name: string;
  arguments: Record<string, unknown>;
  input_schema: JsonSchema;
  message: string;
  status: "pending" | "approved" | "edited" | "denied" | "expired" | "withdrawn";
  expires_at: string;
}

export interface Decision {
  approved: boolean;
  edited?: Record<string, unknown>;
  reason?: string;
}

export function runs(sessionId: string, limit: number, signal?: AbortSignal): Promise<Page<Run>> {
  return page<Run>("/api/runs", { session_id: sessionId, limit: String(limit) }, signal);
}

export function run(id: string, signal?: AbortSignal): Promise<Run> {
  return get<Run>(`/api/runs/${id}`, signal);
}

export function cancelRun(id: string): Promise<Run> {
  return write<Run>("POST", `/api/runs/${id}/cancel`);
}

export async function pendingApprovals(sessionId: string): Promise<Approval[]> {
  const { items } = await page<Approval>("/api/approvals", { status: "pending", limit: "100" });
  return items.filter(each => each.session_id === sessionId).reverse();
}

/** A decision as the resumed run takes it. */
export function resumeEntry(approvalId: string, decision: Decision): ResumeEntry {
  const { approved, edited, reason } = decision;
  const payload = { approved, ...(edited && { editedArgs: edited }), ...(reason && { reason }) };
  return { interruptId: approvalId, status: "resolved", payload };
}

/** Everything a run told. */
export async function runEvents(id: string, signal?: AbortSignal): Promise<RunEvent[]> {
  const events: RunEvent[] = [];
  for (;;) {
    const next = await get<RunEvent[]>(`/api/runs/${id}/events?after=${events.at(-1)?.seq ?? 0}&limit=100`, signal);
    events.push(...next);
    if (next.length < 100) return events;
  }
}
