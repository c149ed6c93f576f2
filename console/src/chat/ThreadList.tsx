// The conversations, the one touched last first.
import { useEffect, useState, useSyncExternalStore } from "react";
import { deleteSession, type Session } from "../api/sessions";
import { go, href } from "../app/route";
import { ago } from "../i18n/format";
import { useWords } from "../i18n/language";
import { Dialog } from "../ui/Dialog";
import { Icon } from "../ui/Icon";
import { ProblemNotice } from "../ui/Notices";
import { useAction } from "../ui/useAction";
import { conversations } from "./conversations";
import { forgetThread } from "./threads";

export function ThreadList({ current, onChoose }: { current: string | null; onChoose: () => void }) {
  const words = useWords();
  const { items, more, loaded, problem } = useSyncExternalStore(conversations.subscribe, conversations.snapshot);
  const [doomed, setDoomed] = useState<Session | null>(null);
  useEffect(() => void conversations.reload(), []);
  return (
    <nav className="threads" aria-label={words.chat.conversations}>
      <ProblemNotice problem={problem} onRetry={() => void conversations.reload()} />
      {loaded && items.length === 0 && !problem && <p className="muted thread-none">{words.chat.noConversations}</p>}
      <ul>
        {items.map(each => (
          <li key={each.id} className={each.id === current ? "current" : undefined}>
            <a href={href("chat", each.id)} aria-current={each.id === current ? "page" : undefined} onClick={onChoose}>
              <span className="thread-title">{each.title ?? words.chat.untitled}</span>
              <span className="thread-time">
                {each.status === "running" && <span className="live-dot" aria-hidden="true" />}
                {each.status === "running" ? words.chat.running : ago(each.updated_at)}
              </span>
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

function DeleteDialog({ session, isCurrent, onClose }: { session: Session; isCurrent: boolean; onClose: () => void }) {
  const words = useWords();
  const { busy, problem, run } = useAction();
  async function remove() {
    if (!(await run(() => deleteSession(session.id)))) return;
    forgetThread(session.id);
    conversations.drop(session.id);
    if (isCurrent) go(href("chat"));
    onClose();
  }
  return (
    <Dialog title={words.chat.deleteTitle} onClose={onClose}>
      <p>{words.chat.deleteExplained(session.title ?? words.chat.untitled)}</p>
      <ProblemNotice problem={problem} />
      <div className="row" style={{ justifyContent: "flex-end" }}>
        <button type="button" className="button" onClick={onClose}>
          {words.cancel}
        </button>
        <button type="button" className="button danger" disabled={busy} onClick={remove}>
          {words.delete}
        </button>
      </div>
    </Dialog>
  );
}
