// A tool call that waits for a word: approve it, change its arguments first, or deny it.
import { useState } from "react";
import type { Approval, Decision } from "../api/runs";
import { dateTime } from "../i18n/format";
import { useWords } from "../i18n/language";
import { Icon } from "../ui/Icon";
import { SchemaForm } from "../ui/SchemaForm";
import { TextField } from "../ui/Field";

interface Props {
  approval: Approval;
  decision: Decision | null;
  onDecide: (decision: Decision) => void;
}

type Mode = "look" | "edit" | "deny";

export function ApprovalCard({ approval, decision, onDecide }: Props) {
  const words = useWords();
  const [mode, setMode] = useState<Mode>("look");
  return (
    <section className="entry approval" aria-label={words.approval.title(approval.name)}>
      <header>
        <Icon name="shield" />
        <h2>{words.approval.title(approval.name)}</h2>
      </header>
      {!isBare(approval) && <p>{approval.message}</p>}
      {decision ? (
        <p className="tag accent">{words.approval.decided}</p>
      ) : (
        <Body approval={approval} mode={mode} setMode={setMode} onDecide={onDecide} />
      )}
      <p className="muted approval-until">{words.approval.until(dateTime(approval.expires_at))}</p>
    </section>
  );
}

/** A message that says no more than the call itself, which is shown below. */
function isBare(approval: Approval): boolean {
  return approval.message.startsWith(`${approval.name}: {`);
}

interface BodyProps extends Omit<Props, "decision"> {
  mode: Mode;
  setMode: (mode: Mode) => void;
}

function Body({ approval, mode, setMode, onDecide }: BodyProps) {
  const words = useWords();
  if (mode === "edit")
    return (
      <SchemaForm
        schema={approval.input_schema}
        value={approval.arguments}
        submit={words.approval.approveEdited}
        onSubmit={edited => onDecide({ approved: true, edited })}
        onCancel={() => setMode("look")}
      />
    );
  if (mode === "deny") return <DenyForm onDecide={onDecide} onCancel={() => setMode("look")} />;
  return (
    <>
      <pre className="code-text" tabIndex={0}>
        {JSON.stringify(approval.arguments, null, 2)}
      </pre>
      <div className="row">
        <button type="button" className="button primary" onClick={() => onDecide({ approved: true })}>
          <Icon name="check" />
          {words.approval.approve}
        </button>
        <button type="button" className="button" onClick={() => setMode("edit")}>
          <Icon name="edit" />
          {words.approval.edit}
        </button>
        <button type="button" className="button danger" onClick={() => setMode("deny")}>
          {words.approval.deny}
        </button>
      </div>
    </>
  );
}

function DenyForm({ onDecide, onCancel }: { onDecide: (decision: Decision) => void; onCancel: () => void }) {
  const words = useWords();
  const [reason, setReason] = useState("");
  return (
    <form
      className="stack"
      onSubmit={event => {
        event.preventDefault();
        onDecide({ approved: false, reason: reason.trim() || undefined });
      }}
    >
      <TextField label={words.approval.reason} hint={words.approval.reasonHint} value={reason} onChange={setReason} />
      <div className="row">
        <button type="submit" className="button danger">
          {words.approval.deny}
        </button>
        <button type="button" className="button quiet" onClick={onCancel}>
          {words.cancel}
        </button>
      </div>
    </form>
  );
}
