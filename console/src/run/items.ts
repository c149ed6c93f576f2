// A run as a list of things that took time: stages, actions, model calls, tools.
import type { AgUiEvent } from "../agui/events";
import type { CallLine } from "../api/calls";
import type { RunEvent } from "../api/runs";

export interface CallFigures {
  callId: string;
  purpose: string;
  model: string;
  input: number;
  cached: number;
  output: number;
  cost: string | null;
  currency: string;
  outcome: string;
  firstTokenMs: number | null;
}

export interface RunItem {
  kind: "stage" | "action" | "call" | "tool" | "skill" | "approval";
  id: string;
  name: string;
  detail: string;
  start: number; // milliseconds since 1970
  end: number | null;
  status: string | null;
  call: CallFigures | null;
}

/** Something a run told, whichever way it came. */
interface Note {
  type: string;
  data: Record<string, unknown>;
  at: number;
}

/** The items after an event of a stream. */
export function runItems(items: readonly RunItem[], event: AgUiEvent): readonly RunItem[] {
  if (event.type === "RUN_STARTED") return [];
  const note = noteOf(event);
  return note ? noted(items, note) : items;
}

/** The items of a run's stored events. */
export function itemsOf(events: readonly RunEvent[]): readonly RunItem[] {
  return events.reduce<readonly RunItem[]>(
    (items, { type, data, at }) => noted(items, { type, data, at: Date.parse(at) }),
    [],
  );
}

/** The same items, in the order in which they began, with the times of the calls as they were booked. */
export function timed(items: readonly RunItem[], lines: readonly CallLine[]): readonly RunItem[] {
  const booked = new Map(lines.map(line => [line.id, line]));
  return items
    .map(item => (item.call ? withTimes(item, item.call, booked.get(item.call.callId)) : item))
    .toSorted((one, other) => one.start - other.start);
}

function withTimes(item: RunItem, call: CallFigures, line: CallLine | undefined): RunItem {
  if (!line) return item;
  const start = Date.parse(line.started_at);
  const firstTokenMs = line.first_token_at === null ? null : Date.parse(line.first_token_at) - start;
  return {
    ...item,
    start,
    end: line.ended_at === null ? null : Date.parse(line.ended_at),
    call: { ...call, firstTokenMs },
  };
}

function noteOf(event: AgUiEvent): Note | null {
  const at = event.timestamp ?? Date.now();
  switch (event.type) {
    case "STEP_STARTED":
      return { type: "stage_started", data: { stage: event.stepName }, at };
    case "STEP_FINISHED":
      return { type: "stage_ended", data: { stage: event.stepName }, at };
    case "TOOL_CALL_START":
      return { type: "tool_called", data: { call_id: event.toolCallId, name: event.toolCallName }, at };
    case "TOOL_CALL_RESULT":
      return {
        type: "tool_ended",
        data: { call_id: event.toolCallId, status: event.metadata?.weft?.status ?? "succeeded" },
        at,
      };
    case "CUSTOM":
      return customNote(event.name, event.value, at);
    default:
      return null;
  }
}

const CUSTOM: Record<string, string> = {
  "weft.call": "call_made",
  "weft.action": "action_taken",
  "weft.skill": "skill_changed",
  "weft.approval": "approval_asked",
  "weft.approval_decided": "approval_decided",
};

function customNote(name: string, data: Record<string, unknown>, at: number): Note | null {
  const type = CUSTOM[name];
  return type ? { type, data, at } : null;
}

function noted(items: readonly RunItem[], { type, data, at }: Note): readonly RunItem[] {
  switch (type) {
    case "stage_started":
      return [...items, item("stage", `${data.stage}/${items.length}`, text(data.stage), at)];
    case "stage_ended":
      return ended(items, each => each.kind === "stage" && each.name === data.stage, at, null);
    case "tool_called":
      return [...items, item("tool", text(data.call_id), text(data.name), at)];
    case "tool_ended":
      return ended(items, each => each.kind === "tool" && each.id === data.call_id, at, text(data.status));
    case "action_taken":
      return [
        ...items,
        { ...item("action", `action/${data.id}`, text(data.node), at), detail: text(data.summary), end: at },
      ];
    case "call_made":
      return [...items, callItem(data, at)];
    case "skill_changed":
      return [...items, { ...item("skill", `skill/${items.length}`, text(data.skill), at), end: at }];
    case "approval_asked":
      return [...items, item("approval", text(data.approval_id), text(data.name), at)];
    case "approval_decided":
      return ended(items, each => each.id === data.approval_id, at, text(data.status));
    default:
      return items;
  }
}

function item(kind: RunItem["kind"], id: string, name: string, start: number): RunItem {
  return { kind, id, name, detail: "", start, end: null, status: null, call: null };
}

function callItem(data: Record<string, unknown>, at: number): RunItem {
  const call: CallFigures = {
    callId: text(data.call_id),
    purpose: text(data.purpose),
    model: text(data.model),
    input: Number(data.input_tokens ?? 0),
    cached: Number(data.cached_input_tokens ?? 0),
    output: Number(data.output_tokens ?? 0),
    cost: typeof data.cost === "string" ? data.cost : null,
    currency: text(data.currency) || "CNY",
    outcome: text(data.outcome) || "succeeded",
    firstTokenMs: typeof data.first_token_ms === "number" ? data.first_token_ms : null,
  };
  return { ...item("call", call.callId, call.model, at), detail: call.purpose, end: at, status: call.outcome, call };
}

function ended(
  items: readonly RunItem[],
  isIt: (each: RunItem) => boolean,
  at: number,
  status: string | null,
): readonly RunItem[] {
  const index = items.findLastIndex(isIt);
  return index < 0 ? items : items.with(index, { ...items[index]!, end: at, status });
}

function text(value: unknown): string {
  return typeof value === "string" ? value : value === null || value === undefined ? "" : String(value);
}
