// Tabs, moved through with the arrow keys.
import { useEffect, useRef, type KeyboardEvent, type ReactNode } from "react";

interface Props<Id extends string> {
  label: string;
  tabs: readonly (readonly [id: Id, shown: string])[];
  current: Id;
  onChoose: (id: Id) => void;
  beside?: ReactNode; // at the end of the bar
  children: ReactNode;
}

const STEPS: Record<string, number> = { ArrowRight: 1, ArrowLeft: -1 };

export function Tabs<Id extends string>({ label, tabs, current, onChoose, beside, children }: Props<Id>) {
  const chosen = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    chosen.current?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [current]);

  function onKeyDown(event: KeyboardEvent<HTMLDivElement>) {
    const step = STEPS[event.key];
    if (!step) return;
    const at = tabs.findIndex(([id]) => id === current);
    const next = tabs[(at + step + tabs.length) % tabs.length]!;
    onChoose(next[0]);
    const buttons = event.currentTarget.querySelectorAll<HTMLElement>("[role=tab]");
    buttons[tabs.indexOf(next)]?.focus();
  }
  return (
    <>
      <div className="tab-bar">
        <div className="tabs" role="tablist" aria-label={label} onKeyDown={onKeyDown}>
          {tabs.map(([id, shown]) => (
            <button
              key={id}
              ref={id === current ? chosen : undefined}
              type="button"
              role="tab"
              id={`tab-${id}`}
              aria-selected={id === current}
              aria-controls={`panel-${id}`}
              tabIndex={id === current ? 0 : -1}
              onClick={() => onChoose(id)}
            >
              {shown}
            </button>
          ))}
        </div>
        {beside}
      </div>
      <div role="tabpanel" id={`panel-${current}`} aria-labelledby={`tab-${current}`} className="stack">
        {children}
      </div>
    </>
  );
}
