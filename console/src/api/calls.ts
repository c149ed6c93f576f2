// Model calls: what they used, cost, and were sent.
import { get } from "./http";
import { page, type Page } from "./pages";

export interface Call {
  id: string;
  purpose: string;
  vendor: string;
  endpoint: string;
  key: string;
  model: string;
  category: string;
  input_tokens: number;
  cached_input_tokens: number;
  output_tokens: number;
  reasoning_tokens: number;
  usage_source: "reported" | "estimated";
  cost: string | null;
  currency: string;
  cost_source: string;
  started_at: string;
  first_token_at: string | null;
  ended_at: string | null;
  outcome: string;
  error_code: string | null;
}

export interface CallLine extends Call {
  session_id: string | null;
  turn_id: string | null;
  expected_cached_tokens: number | null;
}

export interface ContextBlock {
  id: string;
  source: string;
  trust: "policy" | "operator" | "user" | "external";
  scope: string;
  place: string;
  tokens: number;
  whole_tokens: number | null;
  state: "whole" | "shortened" | "dropped" | "unwanted";
  why: string;
  hash: string;
  cached: "expected" | "partly" | "new" | null;
  text: string | null;
}

export interface Context {
  call: Call;
  recipe: string;
  total: number;
  usual: number;
  purses: Record<string, { spent: number; budget: number }>;
  window_start: number;
  window_texts: number;
  cache: {
    unit: number;
    expected_tokens: number;
    expected_share: number;
    anyone_tokens: number | null;
    reported_tokens: number | null;
    compared_with: string | null;
    seconds_since: number | null;
    same_way: boolean;
    changed: string;
    collapsed: boolean;
    why: "window" | "skill" | "unplanned" | null;
    lost_tokens: number;
    alarms: { code: string; detail: string; block?: string | null }[];
  };
  blocks: ContextBlock[];
  tools: Record<string, unknown>[];
  messages: Record<string, unknown>[];
}

export interface ContextDiff {
  call_id: string;
  before_id: string;
  common_tokens: number;
  total_before: number;
  total_after: number;
  broke: string | null;
  collapsed: boolean;
  lost_tokens: number;
  changes: {
    id: string;
    change: "came" | "went" | "changed" | "moved";
    stable: boolean;
    tokens_before: number;
    tokens_after: number;
    difference: string[];
  }[];
}

export type GroupBy = "total" | "day" | "turn" | "session" | "user" | "key" | "model";

export interface UsageTotal {
  group: string | null;
  currency: string;
  calls: number;
  input_tokens: number;
  cached_input_tokens: number;
  output_tokens: number;
  cost: string;
  unpriced_calls: number;
  estimated_calls: number;
}

export interface UsageReport {
  by: GroupBy;
  totals: UsageTotal[];
  truncated: boolean;
}

export function context(callId: string, signal?: AbortSignal): Promise<Context> {
  return get<Context>(`/api/calls/${callId}/context`, signal);
}

export function contextDiff(callId: string, signal?: AbortSignal): Promise<ContextDiff> {
  return get<ContextDiff>(`/api/calls/${callId}/context/diff`, signal);
}

export function usage(by: GroupBy, since: string | null, timezone: string, signal?: AbortSignal): Promise<UsageReport> {
  const query = new URLSearchParams({ by, timezone, ...(since && { since }) });
  return get<UsageReport>(`/api/usage?${query}`, signal);
}

/** What a list of calls is narrowed to; a `session_id` of "none" stands for calls outside conversations. */
export interface CallFilter {
  session_id?: string;
  turn_id?: string;
  user_id?: string;
  model?: string;
  key?: string;
  since?: string;
  until?: string;
}

export function calls(query: CallFilter & { cursor?: string }, signal?: AbortSignal): Promise<Page<CallLine>> {
  return page<CallLine>("/api/calls", { limit: "100", ...query }, signal);
}
