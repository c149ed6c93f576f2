// The conversation itself. It stays at its end while it grows, and where the reader is once they scroll up.
import { useEffect, useRef, useState } from "react";
import { useWords } from "../i18n/language";
import { Icon } from "../ui/Icon";
import { ApprovalCard } from "./ApprovalCard";
import { EntryView } from "./EntryView";
import type { Entry } from "./entries";
import type { Thread, ThreadState } from "./thread";

interface Props {
  thread: Thread;
  state: ThreadState;
  entries: readonly Entry[];
}

export function Transcript({ thread, state, entries }: Props) {
  const words = useWords();
  const scroller = useRef<HTMLDivElement>(null);
  const [away, setAway] = useState(false);
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
        {entries.map(entry => (
          <EntryView key={entry.id} entry={entry} />
        ))}
        {waitsForWord && <Thinking />}
        {state.approvals.map(approval => (
          <ApprovalCard
            key={approval.id}
            approval={approval}
            decision={state.decisions[approval.id] ?? null}
            onDecide={decision => void thread.decide(approval, decision)}
          />
        ))}
        <StateNotice thread={thread} state={state} />
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

function Thinking() {
  const words = useWords();
  return (
    <div className="thinking" role="status">
      <span className="weave" aria-hidden="true">
        <i />
        <i />
        <i />
      </span>
      <span className="unseen">{words.chat.thinking}</span>
    </div>
  );
}

function StateNotice({ thread, state }: { thread: Thread; state: ThreadState }) {
  const words = useWords();
  if (state.phase === "lost")
    return (
      <div className="notice warn" role="status">
        <span className="spinner" aria-hidden="true" />
        <span className="grow">{words.chat.lost}</span>
      </div>
    );
  if (!state.failure) return null;
  return (
    <div className="notice bad" role="alert">
      <span className="grow">{state.failure.code === "unreachable" ? words.unreachable : state.failure.message}</span>
      <button type="button" className="button small" onClick={() => void thread.retry()}>
        <Icon name="retry" />
        {words.chat.retry}
      </button>
    </div>
  );
}

/** A screen reader hears a whole answer once, and not each of its pieces. */
function Announcer({ entries, busy }: { entries: readonly Entry[]; busy: boolean }) {
  const words = useWords();
  const answer = entries.findLast(entry => entry.kind === "answer");
  const text = busy ? words.chat.thinking : answer?.kind === "answer" ? answer.text : "";
  return (
    <div className="unseen" aria-live="polite">
      {text}
    </div>
  );
}
