// The run that this tab is following, remembered so that a reload rejoins it.
import type { RunInput } from "../agui/events";

const key = (threadId: string) => `weft.run.${threadId}`;

export function remember(input: RunInput): void {
  try {
    sessionStorage.setItem(key(input.threadId), JSON.stringify(input));
  } catch {
    rememberAccepted(input); // images can be more than the browser keeps: the server has them soon
  }
}

/** Once the server has the message, its names are enough to rejoin. */
export function rememberAccepted(input: RunInput): void {
  sessionStorage.setItem(key(input.threadId), JSON.stringify({ ...input, messages: [] }));
}

export function remembered(threadId: string): RunInput | null {
  const stored = sessionStorage.getItem(key(threadId));
  return stored === null ? null : (JSON.parse(stored) as RunInput);
}

export function forget(threadId: string): void {
  sessionStorage.removeItem(key(threadId));
}
