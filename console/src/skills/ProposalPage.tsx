// One proposal as a reviewer sees it: what would change, file by file, and the two answers.
import { useState } from "react";
import { useLoaded } from "../api/useLoaded";
import { go, href } from "../app/route";
import { useSession } from "../app/session";
import { dateTime } from "../i18n/format";
import { useWords } from "../i18n/language";
import { DiffText } from "../ui/DiffText";
import { TextField } from "../ui/Field";
import { Icon } from "../ui/Icon";
import { Loading, ProblemNotice } from "../ui/Notices";
import { useAction } from "../ui/useAction";
import { accept, proposal, reject, submit, withdraw, type FileChange, type ProposalDetail } from "./api";
import { Findings } from "./Findings";
import { ProposalStatus } from "./Proposals";

export function ProposalPage({ id }: { id: string }) {
  const words = useWords();
  const found = useLoaded(`proposal/${id}`, signal => proposal(id, signal));
  return (
    <>
      <a href={href("skills", "proposals")} className="row back">
        <Icon name="left" />
        {words.skills.proposals}
      </a>
      <ProblemNotice problem={found.problem} onRetry={found.reload} />
      {found.loading && !found.value && <Loading />}
      {found.value && <Detail proposal={found.value} onChanged={found.reload} />}
    </>
  );
}

function Detail({ proposal, onChanged }: { proposal: ProposalDetail; onChanged: () => void }) {
  const words = useWords();
  return (
    <>
      <header className="stack">
        <div className="row">
          <h1>{proposal.name}</h1>
          <ProposalStatus status={proposal.status} />
        </div>
        <p className="muted">
          {words.skills.proposedAt(dateTime(proposal.submitted_at ?? proposal.created_at))}
          {proposal.decided_by && <> · {words.skills.decidedBy(proposal.decided_by)}</>}
        </p>
        {proposal.note && <p>{proposal.note}</p>}
        {proposal.reason && <p className="notice">{proposal.reason}</p>}
      </header>
      <Findings findings={proposal.findings} />
      <section className="stack" aria-label={words.skills.changes}>
        <h2>{words.skills.changes}</h2>
        {proposal.changes.map(each => (
          <Change key={each.path} change={each} />
        ))}
      </section>
      <Answers proposal={proposal} onChanged={onChanged} />
    </>
  );
}

function Change({ change }: { change: FileChange }) {
  const words = useWords();
  const tone = { added: "tag ok", changed: "tag accent", removed: "tag bad" }[change.change];
  return (
    <details className="card" open>
      <summary>
        <span className={tone}>{words.skills.kinds[change.change]}</span> <code>{change.path}</code>
      </summary>
      {change.diff === null ? (
        <p className="muted">{words.skills.noDiff}</p>
      ) : (
        <DiffText lines={change.diff.split("\n")} />
      )}
    </details>
  );
}

function Answers({ proposal, onChanged }: { proposal: ProposalDetail; onChanged: () => void }) {
  const words = useWords();
  const { isOperator } = useSession();
  const [reason, setReason] = useState("");
  const { busy, problem, run } = useAction();
  if (proposal.status !== "review" && proposal.status !== "draft") return null;
  const answer = (work: () => Promise<unknown>) => void run(work).then(done => done && onChanged());
  const reviews = proposal.status === "review" && isOperator;
  return (
    <section className="card stack" aria-label={words.skills.decision}>
      <ProblemNotice problem={problem} />
      {reviews && (
        <TextField label={words.skills.reason} hint={words.skills.reasonNeeded} value={reason} onChange={setReason} />
      )}
      <div className="row">
        {reviews && (
          <>
            <button
              type="button"
              className="button primary"
              disabled={busy || proposal.shown === null}
              onClick={() => answer(() => accept(proposal.id, proposal.shown!, reason))}
            >
              <Icon name="check" />
              {words.skills.accept}
            </button>
            <button
              type="button"
              className="button danger"
              disabled={busy || reason.trim() === ""}
              onClick={() => answer(() => reject(proposal.id, reason))}
            >
              {words.skills.reject}
            </button>
          </>
        )}
        {proposal.status === "draft" && (
          <button type="button" className="button" disabled={busy} onClick={() => answer(() => submit(proposal.id))}>
            {words.skills.submit}
          </button>
        )}
        <button
          type="button"
          className="button quiet to-side"
          disabled={busy}
          onClick={() => void run(() => withdraw(proposal.id)).then(done => done && go(href("skills", "proposals")))}
        >
          {words.skills.withdraw}
        </button>
      </div>
    </section>
  );
}
