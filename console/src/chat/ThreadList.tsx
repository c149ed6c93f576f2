// The conversations, the one touched last first.
import { useEffect, useState, useSyncExternalStore } from "react";
import { deleteSession, type Session } from "../api/sessions";
import { go, href } from "../app/route";
import { useSession } from "../app/session";
import { ago } from "../i18n/format";
import { useWords } from "../i18n/language";
import { Confirm } from "../ui/Confirm";
import { Icon } from "../ui/Icon";
import { ProblemNotice } from "../ui/Notices";
import { conversations } from "./conversations";
import { forgetThread } from "./threads";

export function ThreadList({ current, onChoose }: { current: string | null; onChoose: () => void }) {
  const words = useWords();
  const { isUser } = useSession();
  const { items, more, loaded, problem } = useSyncExternalStore(conversations.subscribe, conversations.snapshot);
  const [doomed, setDoomed] = useState<Session | null>(null);
  useEffect(() => void conversations.reload(), []);
  return (
    <nav className="threads" aria-label={words.chat.conversations}>
      <ProblemNotice problem={problem} onRetry={() => void conversations.reload()} />
      {loaded && items.length === 0 && !problem && (
        <p className="muted thread-none">{isUser ? words.chat.noConversations : words.chat.noUserConversations}</p>
      )}
      <ul>
        {items.map(each => (
          <li key={each.id} className={each.id === current ? "current" : undefined}>
            <a href={href("chat", each.id)} aria-current={each.id === current ? "page" : undefined} onClick={onChoose}>
              <span className="thread-title">{each.title ?? words.chat.untitled}</span>
              <ThreadState session={each} />
            </a>
            <button
              type="button"
              className="button quiet icon small"
              aria-label={words.chat.deleteNamed(each.title ?? words.chat.untitled)}
              onClick={() => setDoomed(each)}
            >
              <Icon name="trash" />
            </button>
          </li>
        ))}
      </ul>
      {more && (
        <button type="button" className="button quiet small" onClick={() => void conversations.loadMore()}>
          {words.more}
        </button>
      )}
      {doomed && <DeleteDialog session={doomed} isCurrent={doomed.id === current} onClose={() => setDoomed(null)} />}
    </nav>
  );
}

/** Whether it is at work, waits for somebody, or when it was touched last. */
function ThreadState({ session }: { session: Session }) {
  const words = useWords().chat;
  if (session.status !== "running") return <span className="thread-time">{ago(session.updated_at)}</span>;
  if (session.state_snapshot.pending_tool_call_id) return <span className="thread-time waits">{words.waits}</span>;
  return (
    <span className="thread-time">
      <span className="live-dot" aria-hidden="true" />
      {words.running}
    </span>
  );
}

interface DeleteProps {
  session: Session;
  isCurrent: boolean;
  onClose: () => void;
}

function DeleteDialog({ session, isCurrent, onClose }: DeleteProps) {
  const words = useWords().chat;
  function done() {
    forgetThread(session.id);
    conversations.drop(session.id);
    if (isCurrent) go(href("chat"));
    onClose();
  }
  return (
    <Confirm
      title={words.deleteTitle}
      explained={words.deleteExplained(session.title ?? words.untitled)}
      onDelete={() => deleteSession(session.id)}
      onDone={done}
      onClose={onClose}
    />
  );
}
