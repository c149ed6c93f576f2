// A tool call with its arguments and its result, closed until somebody wants to know.
import { hrefOfCall } from "../app/route";
import { useWords } from "../i18n/language";
import { Icon } from "../ui/Icon";
import type { ToolEntry } from "./entries";
import { SkillChip } from "./SkillChip";

const TONES: Record<ToolEntry["status"], string> = {
  running: "tag accent",
  waiting: "tag warn",
  succeeded: "tag ok",
  failed: "tag bad",
  denied: "tag warn",
  unknown: "tag warn",
};

export function ToolCall({ entry, pointed }: { entry: ToolEntry; pointed: boolean }) {
  const words = useWords();
  const args = parsed(entry.args);
  if (entry.name === "use_skill" && entry.status === "succeeded" && isRecord(args)) {
    return <SkillChip skill={typeof args.skill === "string" ? args.skill : null} />;
  }
  return (
    <details className={pointed ? "entry tool pointed" : "entry tool"} data-entry={entry.id}>
      <summary>
        <Icon name="tool" />
        <code className="tool-name">{entry.name}</code>
        <span className="tool-brief">{brief(args)}</span>
        <span className={TONES[entry.status]}>
          {entry.status === "running" && <span className="live-dot" aria-hidden="true" />}
          {words.tools[entry.status]}
        </span>
      </summary>
      <div className="tool-body">
        <h3>{words.tools.arguments}</h3>
        <pre className="code-text" tabIndex={0}>
          {pretty(args, entry.args)}
        </pre>
        {entry.result !== null && (
          <>
            <h3>{words.tools.result}</h3>
            <pre className="code-text" tabIndex={0}>
              {pretty(parsed(entry.result), entry.result)}
            </pre>
          </>
        )}
        {entry.callId && (
          <a className="usage-line" href={hrefOfCall(entry.callId)}>
            {words.run.whatWasSent}
          </a>
        )}
      </div>
    </details>
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // not all of it is there yet, or it is no JSON
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function pretty(value: unknown, raw: string): string {
  return typeof value === "object" && value !== null ? JSON.stringify(value, null, 2) : raw;
}

function brief(args: unknown): string {
  if (!isRecord(args)) return "";
  return Object.values(args)
    .map(value => (typeof value === "string" ? value : JSON.stringify(value)))
    .join(" · ")
    .slice(0, 120);
}
