// The conversations that are open in this page; a run goes on being followed while another one is looked at.
import { useSyncExternalStore } from "react";
import { go, href } from "../app/route";
import { forget } from "./pending";
import { Thread, type ThreadState } from "./thread";

const MOST_KEPT = 8;
const open = new Map<string, Thread>();
let fresh = newThread();

function newThread(): Thread {
  return new Thread(null, (thread, id) => {
    open.set(id, thread);
    fresh = newThread();
    go(href("chat", id), "replace");
  });
}

/** The conversation with that id, or the one that has not begun. */
export function threadOf(id: string | null): Thread {
  if (id === null) return fresh;
  const known = open.get(id);
  if (known) return known;
  const thread = new Thread(id, () => undefined);
  open.set(id, thread);
  closeIdle();
  return thread;
}

export function forgetThread(id: string): void {
  forget(id);
  open.get(id)?.close();
  open.delete(id);
}

function closeIdle(): void {
  for (const [id, thread] of open) {
    if (open.size <= MOST_KEPT) return;
    if (!thread.busy) open.delete(id);
  }
}

export function useThread(thread: Thread): ThreadState {
  return useSyncExternalStore(thread.subscribe, thread.snapshot);
}
