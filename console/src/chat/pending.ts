// The run that this tab is following, remembered so that a reload rejoins it.
import type { AgUiMessage, RunInput } from "../agui/events";

const key = (threadId: string) => `weft.run.${threadId}`;

export function remember(input: RunInput): void {
  try {
    sessionStorage.setItem(key(input.threadId), JSON.stringify(input));
  } catch {
    rememberAccepted(input); // images can be more than the browser keeps: the server has them soon
  }
}

/** Once the server has the message, it can be named again without its pictures. */
export function rememberAccepted(input: RunInput): void {
  const messages = input.messages.map(each => ({ ...each, content: wordsOf(each) }));
  sessionStorage.setItem(key(input.threadId), JSON.stringify({ ...input, messages }));
}

function wordsOf({ content }: AgUiMessage): string {
  if (typeof content === "string") return content;
  return content?.map(part => part.text ?? "").join("") || "…"; // a picture alone; no message is empty
}

export function remembered(threadId: string): RunInput | null {
  const stored = sessionStorage.getItem(key(threadId));
  return stored === null ? null : (JSON.parse(stored) as RunInput);
}

export function forget(threadId: string): void {
  sessionStorage.removeItem(key(threadId));
}
