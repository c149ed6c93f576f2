// The chat page: a conversation, and beside it what the run did.
import { lazy, Suspense, useCallback, useEffect, useMemo, useState } from "react";
import { useSession } from "../app/session";
import { useWords } from "../i18n/language";
import { Icon } from "../ui/Icon";
import { Welcome } from "../welcome/Welcome";
import { Composer } from "./Composer";
import { conversations } from "./conversations";
import { merged, waiting } from "./entries";
import { entriesOf } from "./stored";
import { threadOf, useThread } from "./threads";
import { Transcript } from "./Transcript";

const RunPanel = lazy(() => import("../run/RunPanel").then(module => ({ default: module.RunPanel })));
const PANEL = "weft.panel";

interface Props {
  id: string | null;
  callId: string | null; // whose message is looked for
  skill: string | null; // that a conversation begins with
}

export function Chat({ id, callId, skill }: Props) {
  const words = useWords();
  const { isUser } = useSession();
  const thread = threadOf(id);
  const state = useThread(thread);
  const [panel, setPanel] = useState(() => callId !== null || startsOpen());
  const stored = useMemo(() => entriesOf(state.rows), [state.rows]);
  const asked = useMemo(() => state.approvals.map(each => each.call_id), [state.approvals]);
  const entries = useMemo(() => waiting(merged(stored, state.live), asked), [stored, state.live, asked]);
  useEffect(() => {
    if (state.phase === "running" || state.settled > 0) void conversations.reload();
  }, [state.phase === "running", state.settled]);
  useEffect(() => {
    if (callId !== null) setPanel(true);
  }, [callId]);

  const togglePanel = useCallback(() => {
    localStorage.setItem(PANEL, panel ? "closed" : "open");
    setPanel(!panel);
  }, [panel]);

  const gone = state.failure?.code === "session_unknown";
  const begins = entries.length === 0 && !state.loading && state.failure === null;
  return (
    <div className={panel && state.id ? "chat with-panel" : "chat"}>
      <section className="conversation" aria-label={words.chat.conversation}>
        <header className="chat-head">
          <h1>{state.title ?? (isUser ? words.chat.newConversation : words.places.chat)}</h1>
          {(state.skill ?? skill) && <span className="tag accent">{words.chat.inSkill((state.skill ?? skill)!)}</span>}
          {state.id && (
            <button
              type="button"
              className="button quiet small panel-toggle"
              aria-pressed={panel}
              onClick={togglePanel}
            >
              <Icon name="panel" />
              <span>{words.run.details}</span>
            </button>
          )}
        </header>
        {begins ? (
          <Welcome onSay={text => void thread.say({ text, images: [], skill })} />
        ) : (
          <Transcript thread={thread} state={state} entries={entries} callId={callId} />
        )}
        {isUser && !gone && (
          <Composer key={state.id ?? "new"} thread={thread} id={state.id} phase={state.phase} skill={skill} />
        )}
      </section>
      {panel && state.id && (
        <Suspense fallback={<aside className="run-panel" />}>
          <RunPanel
            sessionId={state.id}
            items={state.items}
            settled={state.settled}
            callId={callId}
            onClose={togglePanel}
          />
        </Suspense>
      )}
    </div>
  );
}

function startsOpen(): boolean {
  const wide = matchMedia("(min-width: 1200px)").matches;
  return wide && localStorage.getItem(PANEL) !== "closed";
}
