// The runs that this browser is following, remembered so that a reload rejoins them, and another tab joins them.
import type { AgUiMessage, RunInput } from "../agui/events";

const key = (threadId: string) => `weft.run.${threadId}`;

/** Until the server has it, only this tab may say it again. */
export function remember(input: RunInput): void {
  try {
    sessionStorage.setItem(key(input.threadId), JSON.stringify(input));
  } catch {
    rememberAccepted(input); // images can be more than the browser keeps: the server has them soon
  }
}

/** Once the server has the message, any tab can name the run again, without its pictures. */
export function rememberAccepted(input: RunInput): void {
  const messages = input.messages.map(each => ({ ...each, content: wordsOf(each) }));
  sessionStorage.removeItem(key(input.threadId));
  localStorage.setItem(key(input.threadId), JSON.stringify({ ...input, messages }));
}

function wordsOf({ content }: AgUiMessage): string {
  if (typeof content === "string") return content;
  return content?.map(part => part.text ?? "").join("") || "…"; // a picture alone; no message is empty
}

export function remembered(threadId: string): RunInput | null {
  const stored = sessionStorage.getItem(key(threadId)) ?? localStorage.getItem(key(threadId));
  return stored === null ? null : (JSON.parse(stored) as RunInput);
}

export function forget(threadId: string): void {
  sessionStorage.removeItem(key(threadId));
  localStorage.removeItem(key(threadId));
}
