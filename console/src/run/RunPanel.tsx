// Beside the chat: what a run did over time, what its calls were sent, and the rows that users never see.
import { memo, useState } from "react";
import { go, href } from "../app/route";
import { useSession } from "../app/session";
import { Inspector } from "../context/Inspector";
import { useWords } from "../i18n/language";
import { Icon } from "../ui/Icon";
import { Tabs } from "../ui/Tabs";
import { Audit } from "./Audit";
import type { RunItem } from "./items";
import { Timeline } from "./Timeline";
import "./run.css";

interface Props {
  sessionId: string;
  items: readonly RunItem[];
  settled: number;
  callId: string | null;
  onClose: () => void;
}

type Tab = "timeline" | "context" | "audit";

/** Drawn again when the run has told something, and not with each word of its answer. */
export const RunPanel = memo(function RunPanel({ sessionId, items, settled, callId, onClose }: Props) {
  const words = useWords();
  const { isOperator } = useSession();
  const [chosen, setChosen] = useState<Tab>("timeline");
  const tab = callId !== null && chosen === "timeline" ? "context" : chosen;
  const tabs: (readonly [Tab, string])[] = [
    ["timeline", words.run.timeline],
    ["context", words.run.context],
  ];
  if (isOperator) tabs.push(["audit", words.run.audit]);

  function choose(next: Tab) {
    setChosen(next);
    if (next === "timeline" && callId !== null) go(href("chat", sessionId), "replace");
  }
  const close = (
    <button type="button" className="button quiet icon small" aria-label={words.close} onClick={onClose}>
      <Icon name="close" />
    </button>
  );
  return (
    <aside className="run-panel" aria-label={words.run.details}>
      <Tabs label={words.run.details} tabs={tabs} current={tab} onChoose={choose} beside={close}>
        {tab === "timeline" && <Timeline sessionId={sessionId} live={items} settled={settled} />}
        {tab === "context" && <Inspector sessionId={sessionId} callId={callId} settled={settled} />}
        {tab === "audit" && <Audit sessionId={sessionId} settled={settled} />}
      </Tabs>
    </aside>
  );
});
