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
  const data = row.metadata.type === "stage_audit" ? row.metadata.data : null;
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
        {data !== null && data !== undefined && (
          <pre className="code-text" tabIndex={0}>
            {JSON.stringify(data, null, 2)}
          </pre>
        )}
      </details>
    </li>
  );
}
