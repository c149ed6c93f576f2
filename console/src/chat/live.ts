// Entries out of an AG-UI stream: each event changes at most one entry.
import type { AgUiEvent, AgUiMessage, InputPart, Marks } from "../agui/events";
import { changed, type Entry, type ToolEntry } from "./entries";

/** The entries after the event. */
export function applied(entries: readonly Entry[], event: AgUiEvent): readonly Entry[] {
  switch (event.type) {
    case "TEXT_MESSAGE_START":
      return opened(entries, {
        kind: "answer",
        id: event.messageId,
        text: "",
        open: true,
        incomplete: false,
        usage: null,
      });
    case "TEXT_MESSAGE_CONTENT":
      return changed(entries, "answer", event.messageId, entry => ({ ...entry, text: entry.text + event.delta }));
    case "TEXT_MESSAGE_END":
      return changed(entries, "answer", event.messageId, entry => ({
        ...entry,
        open: false,
        incomplete: isIncomplete(event.metadata),
      }));
    case "REASONING_MESSAGE_START":
      return opened(entries, { kind: "reasoning", id: event.messageId, text: "", open: true });
    case "REASONING_MESSAGE_CONTENT":
      return changed(entries, "reasoning", event.messageId, entry => ({ ...entry, text: entry.text + event.delta }));
    case "REASONING_MESSAGE_END":
      return changed(entries, "reasoning", event.messageId, entry => ({ ...entry, open: false }));
    case "TOOL_CALL_START":
      return opened(entries, toolEntry(event.toolCallId, event.toolCallName, ""));
    case "TOOL_CALL_ARGS":
      return changed(entries, "tool", event.toolCallId, entry => ({ ...entry, args: entry.args + event.delta }));
    case "TOOL_CALL_RESULT":
      return changed(entries, "tool", event.toolCallId, entry => ({
        ...entry,
        ...resultOf(textOf(event.content), event.metadata),
      }));
    case "MESSAGES_SNAPSHOT":
      return snapshotted(entries, event.messages);
    case "CUSTOM":
      return event.name === "weft.skill" ? withSkill(entries, event.value) : entries;
    default:
      return entries;
  }
}

function toolEntry(id: string, name: string, args: string): ToolEntry {
  return { kind: "tool", id, name, args, result: null, status: "running", callId: null };
}

/** A START: of something new, or again of something that a snapshot has shown in part. */
function opened(entries: readonly Entry[], fresh: Entry): readonly Entry[] {
  const at = entries.findLastIndex(entry => entry.id === fresh.id && entry.kind === fresh.kind);
  if (at < 0) return [...entries, fresh];
  const known = entries[at]!;
  return entries.with(at, known.kind === "answer" || known.kind === "reasoning" ? { ...known, open: true } : known);
}

function resultOf(result: string, marks?: Marks): Pick<ToolEntry, "result" | "status"> {
  return { result, status: marks?.weft?.status ?? "succeeded" };
}

function isIncomplete(marks?: Marks): boolean {
  return marks?.weft?.incomplete ?? false;
}

function textOf(content: string | InputPart[] | null | undefined): string {
  if (typeof content === "string") return content;
  return (content ?? []).map(part => part.text ?? "").join("");
}

/** A skill was taken on or left; where a call of `use_skill` shows it already, nothing is said twice. */
function withSkill(entries: readonly Entry[], value: Record<string, unknown>): readonly Entry[] {
  const skill = typeof value.skill === "string" ? value.skill : null;
  const last = entries.findLast(entry => entry.kind === "tool" || entry.kind === "skill" || entry.kind === "user");
  if (last?.kind === "tool" && last.name === "use_skill") return entries;
  if (last?.kind === "skill" && last.skill === skill) return entries;
  return [...entries, { kind: "skill", id: `skill/${entries.length}/${skill}`, skill }];
}

/** What the server says the run has shown so far takes the place of what this page has heard of it. */
function snapshotted(entries: readonly Entry[], messages: readonly AgUiMessage[]): readonly Entry[] {
  const told = entriesOfSnapshot(messages);
  const ids = new Set(told.map(entry => entry.id));
  const texts = new Set(told.flatMap(entry => (entry.kind === "user" ? [entry.text] : [])));
  const before = new Map(entries.map(entry => [entry.id, entry]));
  const kept = entries.filter(entry => !ids.has(entry.id) && !isDoubled(entry, texts));
  return [...kept, ...told.map(entry => withImages(entry, before.get(entry.id)))];
}

function isDoubled(entry: Entry, texts: ReadonlySet<string>): boolean {
  return entry.kind === "user" ? entry.local && texts.has(entry.text) : entry.kind !== "skill";
}

function withImages(entry: Entry, before: Entry | undefined): Entry {
  return entry.kind === "user" && before?.kind === "user" ? { ...entry, images: before.images } : entry;
}

function entriesOfSnapshot(messages: readonly AgUiMessage[]): Entry[] {
  const entries: Entry[] = [];
  for (const message of messages) {
    const text = textOf(message.content);
    if (message.role === "tool" && message.toolCallId) {
      const at = entries.findLastIndex(entry => entry.kind === "tool" && entry.id === message.toolCallId);
      if (at >= 0) entries[at] = { ...(entries[at] as ToolEntry), ...resultOf(text, message.metadata) };
      continue;
    }
    entries.push(...entriesOfMessage(message, text));
  }
  return entries;
}

function entriesOfMessage(message: AgUiMessage, text: string): Entry[] {
  const calls = (message.toolCalls ?? []).map(call => toolEntry(call.id, call.function.name, call.function.arguments));
  const incomplete = isIncomplete(message.metadata);
  switch (message.role) {
    case "user":
      return [{ kind: "user", id: message.id, text, attachments: [], images: [], local: false }];
    case "reasoning":
      return [{ kind: "reasoning", id: message.id, text, open: false }];
    case "assistant":
      return text ? [{ kind: "answer", id: message.id, text, open: false, incomplete, usage: null }, ...calls] : calls;
    default:
      return [];
  }
}
