// The first thing a new user sees: something to say at once, and how to set a real vendor.
import { useLoaded } from "../api/useLoaded";
import { answersOffline } from "./answersOffline";
import { href } from "../app/route";
import { useSession } from "../app/session";
import { useWords } from "../i18n/language";
import { Icon } from "../ui/Icon";
import { Mark } from "../ui/Mark";
import "./welcome.css";

export function Welcome({ onSay }: { onSay: (text: string) => void }) {
  const words = useWords();
  const { isOperator, isUser } = useSession();
  const offline = useLoaded(isOperator ? "offline" : null, answersOffline);
  return (
    <div className="welcome">
      <div className="welcome-inner">
        <Mark size={54} />
        <h2>{isUser ? words.welcome.title : words.welcome.operator}</h2>
        <p className="muted">{isUser ? words.welcome.intro : words.chat.readOnly}</p>
        {isUser && (
          <ul className="suggestions">
            {words.welcome.suggestions.map(each => (
              <li key={each}>
                <button type="button" className="button" onClick={() => onSay(each)}>
                  {each}
                </button>
              </li>
            ))}
          </ul>
        )}
        {offline.value && <OfflineNote />}
      </div>
    </div>
  );
}

function OfflineNote() {
  const words = useWords();
  return (
    <div className="card offline-note">
      <p>{words.welcome.offline}</p>
      <div className="row">
        <a className="button primary small" href={href("infra", "connect")}>
          <Icon name="infra" />
          {words.welcome.connect}
        </a>
        <span className="muted">{words.welcome.byHand}</span>
      </div>
      <pre className="code-text" tabIndex={0}>
        {"WEFT_LLM_BASE_URL=https://api.deepseek.com/v1 \\\nWEFT_LLM_API_KEY=… WEFT_LLM_MODEL=deepseek-chat make run"}
      </pre>
    </div>
  );
}
