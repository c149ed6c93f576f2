// What a conversation says of itself: that it thinks, that the connection is lost, that something failed or is not whole.
import { href } from "../app/route";
import { useSession } from "../app/session";
import { useWords } from "../i18n/language";
import { Icon } from "../ui/Icon";
import { Told } from "../ui/Notices";
import type { Entry } from "./entries";
import type { Thread, ThreadState } from "./thread";

export function Thinking() {
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

interface Props {
  thread: Thread;
  state: ThreadState;
  last: Entry | undefined;
}

export function StateNotice({ thread, state, last }: Props) {
  const words = useWords();
  if (state.phase === "lost")
    return (
      <div className="notice warn" role="status">
        <span className="spinner" aria-hidden="true" />
        <span className="grow">{words.chat.lost}</span>
      </div>
    );
  if (state.failure?.code === "session_unknown") return <Gone />;
  if (state.failure)
    return (
      <div className="notice bad" role="alert">
        <Told code={state.failure.code} detail={state.failure.message} />
        <RetryButton thread={thread} />
      </div>
    );
  const isCutOff = state.phase === "idle" && last?.kind === "answer" && last.incomplete;
  return isCutOff ? <RetryButton thread={thread} /> : null;
}

function RetryButton({ thread }: { thread: Thread }) {
  const words = useWords();
  const { isUser } = useSession();
  if (!isUser) return null;
  return (
    <button type="button" className="button small retry" onClick={() => void thread.retry()}>
      <Icon name="retry" />
      {words.chat.retry}
    </button>
  );
}

function Gone() {
  const words = useWords();
  return (
    <div className="nothing stack" role="alert">
      <p>{words.chat.gone}</p>
      <p>
        <a className="button" href={href("chat")}>
          <Icon name="plus" />
          {words.chat.begin}
        </a>
      </p>
    </div>
  );
}

/** A screen reader hears a whole answer once, and not each of its pieces. */
export function Announcer({ entries, busy }: { entries: readonly Entry[]; busy: boolean }) {
  const words = useWords();
  const answer = entries.findLast(entry => entry.kind === "answer");
  const text = busy ? words.chat.thinking : answer?.kind === "answer" ? answer.text : "";
  return (
    <div className="unseen" aria-live="polite">
      {text}
    </div>
  );
}
