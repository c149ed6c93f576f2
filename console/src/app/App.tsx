// The console: who is here, then the page that the address names.
import { lazy, Suspense, useCallback, useEffect, useState } from "react";
import { onSignedOut } from "../api/http";
import { Chat } from "../chat/Chat";
import { useWords } from "../i18n/language";
import { SignIn } from "../signin/SignIn";
import { Loading } from "../ui/Notices";
import { useRoute, type Route } from "./route";
import { SessionContext, whoAmI, type Entry } from "./session";
import { Shell } from "./Shell";

const Ledger = lazy(() => import("../ledger/Ledger").then(module => ({ default: module.Ledger })));
const Skills = lazy(() => import("../skills/Skills").then(module => ({ default: module.Skills })));
const Profile = lazy(() => import("../profile/Profile").then(module => ({ default: module.Profile })));
const Infra = lazy(() => import("../infra/Infra").then(module => ({ default: module.Infra })));

export function App() {
  const words = useWords();
  const route = useRoute();
  const [entry, setEntry] = useState<Entry>("unknown");
  const ask = useCallback(() => void whoAmI().then(setEntry), []);
  useEffect(ask, [ask]);
  useEffect(() => onSignedOut(() => setEntry("signed out")), []);
  if (entry === "unknown") return <Loading />;
  if (entry === "signed out") return <SignIn onSignedIn={ask} />;
  if (entry === "unreachable")
    return (
      <div className="nothing" role="alert">
        <p>{words.unreachable}</p>
        <button type="button" className="button" onClick={ask}>
          {words.again}
        </button>
      </div>
    );
  return (
    <SessionContext value={entry}>
      <Shell route={route} onSignedOut={ask}>
        <Suspense fallback={<Loading />}>
          <Page route={route} />
        </Suspense>
      </Shell>
    </SessionContext>
  );
}

function Page({ route }: { route: Route }) {
  switch (route.place) {
    case "chat":
      return <Chat id={route.id} callId={route.query.get("call")} skill={route.query.get("skill")} />;
    case "ledger":
      return <Ledger query={route.query} />;
    case "skills":
      return <Skills name={route.id} query={route.query} />;
    case "profile":
      return <Profile />;
    case "infra":
      return <Infra section={route.id} />;
  }
}
