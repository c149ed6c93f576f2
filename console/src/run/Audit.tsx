// The rows that users never see: what stages produced, for operators.
import { messages, type Message } from "../api/sessions";
import { useLoaded } from "../api/useLoaded";
import { clockTime } from "../i18n/format";
import { useWords } from "../i18n/language";
import { Loading, Nothing, ProblemNotice } from "../ui/Notices";

export function Audit({ sessionId, settled }: { sessionId: string; settled: number }) {
  const words = useWords();
  const rows = useLoaded(`audit/${sessionId}/${settled}`, () => messages(sessionId, { audit: true, limit: 100 }));
  if (rows.problem) return <ProblemNotice problem={rows.problem} onRetry={rows.reload} />;
  if (!rows.value) return <Loading />;
  if (rows.value.items.length === 0) return <Nothing>{words.run.noAudit}</Nothing>;
  return (
    <ol className="audit">
      {rows.value.items.map(row => (
        <AuditRow key={row.id} row={row} />
      ))}
    </ol>
  );
}

function AuditRow({ row }: { row: Message }) {
  const stage = row.metadata.type === "stage_audit" ? row.metadata.stage : row.role;
  const data = row.metadata.type === "stage_audit" ? Object.entries(row.metadata.data ?? {}) : [];
  return (
    <li>
      <details>
        <summary>
          <span className="number tag">{row.seq}</span> <strong>{stage}</strong>{" "}
          <span className="muted number">{clockTime(row.created_at)}</span>
        </summary>
        {row.content && (
          <pre className="code-text" tabIndex={0}>
            {row.content}
          </pre>
        )}
        {data.map(([name, value]) => (
          <div key={name}>
            <p className="audit-name">{name}</p>
            <pre className="code-text" tabIndex={0}>
              {pretty(value)}
            </pre>
          </div>
        ))}
      </details>
    </li>
  );
}

/** A value as people read it; what a model has written is often JSON itself. */
function pretty(value: unknown): string {
  if (typeof value !== "string") return JSON.stringify(value, null, 2);
  try {
    return JSON.stringify(JSON.parse(value), null, 2);
  } catch {
    return value;
  }
}
