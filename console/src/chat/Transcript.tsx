// The conversation itself. It stays at its end while it grows, and where the reader is once they scroll up.
import { useEffect, useRef, useState } from "react";
import type { Approval } from "../api/runs";
import { useWords } from "../i18n/language";
import { Icon } from "../ui/Icon";
import { ApprovalCard } from "./ApprovalCard";
import { Announcer, StateNotice, Thinking } from "./Notices";
import { Entries } from "./Entries";
import { entryOfCall, type Entry } from "./entries";
import type { Thread, ThreadState } from "./thread";

interface Props {
  thread: Thread;
  state: ThreadState;
  entries: readonly Entry[];
  callId: string | null; // whose message is looked for
}

const MOST_PAGES = 20; // that are read to find a message

export function Transcript({ thread, state, entries, callId }: Props) {
  const words = useWords();
  const scroller = useRef<HTMLDivElement>(null);
  const [away, setAway] = useState(false);
  const pointed = usePointed(scroller, { thread, state, entries, callId });
  const last = entries.at(-1);
  const waitsForWord = state.phase === "running" && (!last || last.kind === "user" || last.kind === "skill");
  return (
    // the container is turned upside down, so that the browser itself keeps its end in view while it grows
    <div
      ref={scroller}
      className="scroller"
      tabIndex={0}
      role="log"
      aria-label={words.chat.messages}
      aria-live="off"
      onScroll={event => setAway(event.currentTarget.scrollTop < -160)}
    >
      <div className="transcript">
        {state.older && <OlderLoader thread={thread} count={state.rows.length} />}
        <Entries entries={entries} pointed={pointed} />
        {waitsForWord && <Thinking />}
        {inOrder(state.approvals, entries).map(approval => (
          <ApprovalCard
            key={approval.id}
            approval={approval}
            decision={state.decisions[approval.id] ?? null}
            onDecide={decision => void thread.decide(approval, decision)}
          />
        ))}
        <StateNotice thread={thread} state={state} last={last} />
      </div>
      {away && (
        <button
          type="button"
          className="button icon to-end"
          aria-label={words.chat.toEnd}
          onClick={() => scroller.current?.scrollTo({ top: 0, behavior: "smooth" })}
        >
          <Icon name="down" />
        </button>
      )}
      <Announcer entries={entries} busy={state.phase === "running"} />
    </div>
  );
}

/** In the order of the calls that they are about. */
function inOrder(approvals: readonly Approval[], entries: readonly Entry[]): readonly Approval[] {
  const places = new Map(entries.map((entry, index) => [entry.id, index]));
  const placeOf = (approval: Approval) => places.get(approval.call_id) ?? entries.length;
  return approvals.toSorted((one, other) => placeOf(one) - placeOf(other));
}

/** The message that a call was made for, brought into view; older pages are read until it is there. */
function usePointed(scroller: React.RefObject<HTMLDivElement | null>, props: Props): string | undefined {
  const { thread, state, entries, callId } = props;
  const pointed = callId === null ? undefined : entryOfCall(entries, callId)?.id;
  const read = useRef(0);
  useEffect(() => {
    read.current = 0;
  }, [callId]);
  useEffect(() => {
    if (callId === null || pointed !== undefined || state.older === null || state.loading) return;
    if (read.current++ < MOST_PAGES) void thread.loadOlder();
  }, [callId, pointed, state.older, state.loading]);
  useEffect(() => {
    if (pointed === undefined) return;
    scroller.current?.querySelector(`[data-entry="${CSS.escape(pointed)}"]`)?.scrollIntoView({ block: "nearest" });
  }, [pointed]);
  return pointed;
}

/** Loads the page before as soon as its place comes into view. */
function OlderLoader({ thread, count }: { thread: Thread; count: number }) {
  const words = useWords();
  const ref = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    const seen = new IntersectionObserver(found => found.some(each => each.isIntersecting) && void thread.loadOlder());
    if (ref.current) seen.observe(ref.current);
    return () => seen.disconnect();
  }, [thread, count]);
  return (
    <button ref={ref} type="button" className="button quiet small older" onClick={() => void thread.loadOlder()}>
      {words.chat.older}
    </button>
  );
}
