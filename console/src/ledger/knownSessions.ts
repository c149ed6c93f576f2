// The newest conversations, by id: what they are called, and whose they are.
import { sessions, type Session } from "../api/sessions";

const PAGES = 5;
export type Known = ReadonlyMap<string, Session>;

export async function knownSessions(signal?: AbortSignal): Promise<Known> {
  const known = new Map<string, Session>();
  let cursor: string | undefined;
  for (let page = 0; page < PAGES; page++) {
    const found = await sessions(cursor, signal);
    for (const each of found.items) known.set(each.id, each);
    cursor = found.next_cursor ?? undefined;
    if (!cursor) break;
  }
  return known;
}
