// Entries out of stored messages.
import type { Message } from "../api/sessions";
import type { Entry, ToolEntry } from "./entries";

// A message never changes, so what was made of one is kept: older pages come in without all others being made anew.
const made = new WeakMap<Message, readonly Entry[]>();
const answered = new WeakMap<Message, ToolEntry>(); // a call with its result, by the result's message

/** Entries of messages in ascending order; a tool's result is shown with its call. */
export function entriesOf(rows: readonly Message[]): Entry[] {
  const entries: Entry[] = [];
  const calls = new Map<string, number>();
  for (const row of rows) {
    const data = row.metadata;
    if (data.type === "tool_result") {
      const at = calls.get(data.tool_call_id);
      if (at !== undefined) entries[at] = withResult(entries[at] as ToolEntry, row, data.status);
      continue;
    }
    if (data.type === "tool_call") calls.set(data.tool_call_id, entries.length);
    entries.push(...entriesOfOne(row));
  }
  return entries;
}

function entriesOfOne(row: Message): readonly Entry[] {
  const known = made.get(row);
  if (known) return known;
  const fresh = entriesOfRow(row).map(entry => ({ ...entry, seq: row.seq }));
  made.set(row, fresh);
  return fresh;
}

function withResult(call: ToolEntry, row: Message, status: ToolEntry["status"]): ToolEntry {
  const known = answered.get(row);
  if (known) return known;
  const whole = { ...call, result: row.content ?? "", status };
  answered.set(row, whole);
  return whole;
}

function entriesOfRow(row: Message): Entry[] {
  const data = row.metadata;
  switch (data.type) {
    case "user_input":
      return [
        {
          kind: "user",
          id: idOfUser(row),
          text: row.content ?? "",
          attachments: data.attachments ?? [],
          images: [],
          local: false,
        },
      ];
    case "tool_call":
      return [
        {
          kind: "tool",
          id: data.tool_call_id,
          name: data.name,
          args: JSON.stringify(data.arguments ?? {}),
          result: null,
          status: "running",
          callId: row.call_id,
        },
      ];
    case "assistant_output":
      return [...reasoningOf(row.id, data.reasoning_content), answerOf(row, data.incomplete ?? false)];
    default:
      return [];
  }
}

function idOfUser(row: Message): string {
  return (row.metadata.type === "user_input" && row.metadata.client_message_id) || row.id;
}

function reasoningOf(id: string, text: string | null | undefined): Entry[] {
  return text ? [{ kind: "reasoning", id: `${id}/reasoning`, text, open: false }] : [];
}

function answerOf(row: Message, incomplete: boolean): Entry {
  const usage = {
    callId: row.call_id,
    input: row.input_tokens,
    cached: row.cached_input_tokens,
    output: row.output_tokens,
    cost: row.cost,
    currency: row.currency,
  };
  return { kind: "answer", id: row.id, text: row.content ?? "", open: false, incomplete, usage };
}
