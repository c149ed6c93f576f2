// One run, followed to its end through lost connections and restarts of the server.
import { Problem, send } from "../api/http";
import { ENDS, type AgUiEvent, type RunInput } from "./events";
import { eventData } from "./sse";

const FIRST_WAIT = 400;
const LONGEST_WAIT = 8_000;
const SILENCE = 45_000; // the server gives a sign of life more often

export interface Follower {
  event(event: AgUiEvent): void;
  /** A stream begins: what it tells first describes all that was before. */
  joined(): void;
  /** The connection is gone and will be tried again. */
  lost(): void;
}

/** Follow the run until it ends; throws a Problem where asking again would not help. */
export async function followRun(input: RunInput, follower: Follower, signal: AbortSignal): Promise<void> {
  let wait = FIRST_WAIT;
  while (!signal.aborted) {
    try {
      const ended = await once(input, follower, signal, () => (wait = FIRST_WAIT));
      if (ended) return;
    } catch (error) {
      if (signal.aborted) return;
      if (!mayHelpLater(error)) throw error;
      if (error instanceof Problem && error.retryAfter) wait = Math.max(wait, error.retryAfter * 1000);
    }
    if (signal.aborted) return;
    follower.lost();
    await pause(wait, signal);
    wait = Math.min(LONGEST_WAIT, wait * 2);
  }
}

function mayHelpLater(error: unknown): boolean {
  if (!(error instanceof Problem)) return true; // the connection broke while reading
  return error.isOffline || error.status === 429 || error.status >= 500;
}

async function once(input: RunInput, follower: Follower, outer: AbortSignal, heard: () => void): Promise<boolean> {
  const abort = new AbortController();
  const stop = () => abort.abort();
  outer.addEventListener("abort", stop, { once: true });
  let timer = setTimeout(stop, SILENCE);
  try {
    const response = await send("/agui", {
      method: "POST",
      headers: { "Content-Type": "application/json", Accept: "text/event-stream" },
      body: JSON.stringify(input),
      signal: abort.signal,
    });
    follower.joined();
    if (!response.body) return false;
    for await (const data of eventData(response.body)) {
      clearTimeout(timer);
      timer = setTimeout(stop, SILENCE);
      if (!data) continue;
      heard();
      const event = JSON.parse(data) as AgUiEvent;
      follower.event(event);
      if (ENDS.has(event.type)) return true;
    }
    return false; // a stream that stops without saying so is a lost connection
  } finally {
    clearTimeout(timer);
    outer.removeEventListener("abort", stop);
    abort.abort();
  }
}

/** Wait that long, or until the network is back. */
function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    const done = () => {
      clearTimeout(timer);
      window.removeEventListener("online", done);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, milliseconds);
    window.addEventListener("online", done);
    signal.addEventListener("abort", done);
  });
}
