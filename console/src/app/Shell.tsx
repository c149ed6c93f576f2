// The frame of every page: places on the left, on a phone behind a button.
import { useEffect, useState, type ReactNode } from "react";
import { ThreadList } from "../chat/ThreadList";
import { useWords } from "../i18n/language";
import { Icon } from "../ui/Icon";
import { Mark } from "../ui/Mark";
import { Preferences } from "./Preferences";
import { href, PLACES, type Place, type Route } from "./route";
import { signOut, useSession } from "./session";

interface Props {
  route: Route;
  onSignedOut: () => void;
  children: ReactNode;
}

export function Shell({ route, onSignedOut, children }: Props) {
  const words = useWords();
  const [open, setOpen] = useState(false);
  const close = () => setOpen(false);
  useEffect(() => {
    document.title = `${words.places[route.place]} · Weft`;
  }, [route.place, words]);
  useEffect(() => {
    if (!open) return;
    const onKey = (event: KeyboardEvent) => event.key === "Escape" && setOpen(false);
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, [open]);
  return (
    <div className={open ? "shell drawer-open" : "shell"}>
      <a className="skip" href="#main" onClick={toMain}>
        {words.skip}
      </a>
      <div className="topbar">
        <button
          type="button"
          className="button quiet icon"
          aria-label={words.menu}
          aria-expanded={open}
          onClick={() => setOpen(!open)}
        >
          <Icon name="menu" />
        </button>
        <Mark size={22} />
        <span className="brand">Weft</span>
        <a className="button quiet icon" href={href("chat")} aria-label={words.chat.begin}>
          <Icon name="plus" />
        </a>
      </div>
      <div className="veil" onClick={close} aria-hidden="true" />
      <div className="sidebar">
        <Places route={route} onChoose={close} />
        {route.place === "chat" && <ThreadList current={route.id} onChoose={close} />}
        <div className="sidebar-foot">
          <Preferences />
          <SignOutButton onSignedOut={onSignedOut} />
        </div>
      </div>
      <main id="main" tabIndex={-1}>
        {children}
      </main>
    </div>
  );
}

/** The address after `#` is ours: a link within the page moves the focus only. */
function toMain(event: React.MouseEvent) {
  event.preventDefault();
  document.getElementById("main")?.focus();
}

function Places({ route, onChoose }: { route: Route; onChoose: () => void }) {
  const words = useWords();
  const { isUser, isOperator } = useSession();
  const hidden = new Set<Place>([...(isUser ? [] : ["profile" as const]), ...(isOperator ? [] : ["infra" as const])]);
  return (
    <nav className="places" aria-label={words.placesLabel}>
      <a className="brand" href={href("chat")} onClick={onChoose}>
        <Mark />
        Weft
      </a>
      {isUser && (
        <a className="button begin" href={href("chat")} onClick={onChoose}>
          <Icon name="plus" />
          {words.chat.begin}
        </a>
      )}
      <ul>
        {PLACES.filter(place => !hidden.has(place)).map(place => (
          <li key={place}>
            <a
              href={href(place)}
              aria-current={route.place === place ? "page" : undefined}
              onClick={place === "chat" ? undefined : onChoose}
            >
              <Icon name={place} />
              {words.places[place]}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

function SignOutButton({ onSignedOut }: { onSignedOut: () => void }) {
  const words = useWords();
  const { bySignIn } = useSession();
  if (!bySignIn) return null;
  return (
    <button type="button" className="button quiet small" onClick={() => void signOut().then(onSignedOut)}>
      <Icon name="out" />
      {words.signin.out}
    </button>
  );
}
