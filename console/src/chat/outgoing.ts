// What the user says, as a run takes it.
import type { AgUiMessage, RunInput } from "../agui/events";
import { newId } from "../api/ids";
import type { UserEntry } from "./entries";

export interface Outgoing {
  text: string;
  images: string[]; // data URLs
  skill?: string | null; // to be taken on with this message
}

export function messageOf(outgoing: Outgoing): AgUiMessage {
  return { id: newId(), role: "user", content: contentOf(outgoing) };
}

/** The message as it is shown until the server has it. */
export function entryOf(id: string, { text, images }: Outgoing): UserEntry {
  return { kind: "user", id, text, attachments: [], images, local: true };
}

function contentOf({ text, images }: Outgoing): AgUiMessage["content"] {
  if (images.length === 0) return text;
  const parts = images.map(url => {
    const [head = "", value = ""] = url.split(",", 2);
    return { type: "image", source: { type: "data", value, mimeType: head.slice(5).split(";")[0] ?? "image/jpeg" } };
  });
  return [...parts, { type: "text", text }];
}

export function inputOf(threadId: string, said: AgUiMessage[], skill?: string | null): RunInput {
  return {
    threadId,
    runId: newId(),
    messages: said,
    state: {},
    tools: [],
    context: [],
    forwardedProps: skill ? { skill } : {},
    protocolVersion: "1.0",
  };
}
