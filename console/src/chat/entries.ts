// What a conversation shows, one entry after the other, whether it was stored long ago or is arriving now.
import type { Attachment, ToolStatus } from "../api/sessions";

export interface Usage {
  callId: string | null;
  input: number;
  cached: number;
  output: number;
  cost: string | null;
  currency: string;
}

interface Placed {
  seq?: number; // where it stands among what is stored; what is arriving has no place yet
}

export interface UserEntry extends Placed {
  kind: "user";
  id: string;
  text: string;
  attachments: Attachment[];
  images: string[]; // data URLs of what is just being sent
  local: boolean; // shown before the server has said that it has it
}

export interface AnswerEntry extends Placed {
  kind: "answer";
  id: string;
  text: string;
  open: boolean;
  incomplete: boolean;
  usage: Usage | null;
}

export interface ReasoningEntry extends Placed {
  kind: "reasoning";
  id: string;
  text: string;
  open: boolean;
}

export interface ToolEntry extends Placed {
  kind: "tool";
  id: string; // the call's
  name: string;
  args: string; // JSON, perhaps not all of it yet
  result: string | null;
  status: ToolStatus | "running" | "waiting";
  callId: string | null; // the model call that asked for it
}

export interface SkillEntry extends Placed {
  kind: "skill";
  id: string;
  skill: string | null;
}

export type Entry = UserEntry | AnswerEntry | ReasoningEntry | ToolEntry | SkillEntry;

/** The entry with that id, as `change` makes it; entries that are not touched stay the same objects. */
export function changed<K extends Entry["kind"]>(
  entries: readonly Entry[],
  kind: K,
  id: string,
  change: (entry: Extract<Entry, { kind: K }>) => Entry,
): Entry[] {
  const at = entries.findLastIndex(entry => entry.id === id && entry.kind === kind);
  if (at < 0) return entries as Entry[];
  return entries.with(at, change(entries[at] as Extract<Entry, { kind: K }>));
}

/** Stored entries with what is arriving: the newer version in the older one's place, the rest behind. */
export function merged(stored: readonly Entry[], live: readonly Entry[]): readonly Entry[] {
  if (live.length === 0) return stored;
  const newer = new Map(live.map(entry => [entry.id, entry]));
  const known = new Set(stored.map(entry => entry.id));
  const kept = stored.map(entry => {
    const other = newer.get(entry.id);
    return other && !saysTheSame(entry, other) ? other : entry; // what is stored knows more of what is over
  });
  return [...kept, ...live.filter(entry => !known.has(entry.id))];
}

function saysTheSame(stored: Entry, live: Entry): boolean {
  switch (live.kind) {
    case "tool":
      return stored.kind === "tool" && stored.result === live.result;
    case "skill":
      return true;
    case "user":
      return stored.kind === "user" && !live.local;
    default:
      return stored.kind === live.kind && stored.text === live.text && !live.open;
  }
}

/** The entry that a model call was made for. */
export function entryOfCall(entries: readonly Entry[], callId: string): Entry | undefined {
  return entries.find(entry =>
    entry.kind === "answer" ? entry.usage?.callId === callId : entry.kind === "tool" && entry.callId === callId,
  );
}

/** The same entries, with those calls marked that wait for somebody's word. */
export function waiting(entries: readonly Entry[], callIds: readonly string[]): readonly Entry[] {
  if (callIds.length === 0) return entries;
  return entries.map(entry =>
    entry.kind === "tool" && callIds.includes(entry.id) ? { ...entry, status: "waiting" } : entry,
  );
}
