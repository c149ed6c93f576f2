// What was proposed, the newest first, and a way to propose.
import { useState, type FormEvent } from "react";
import { useLoaded } from "../api/useLoaded";
import { go, href } from "../app/route";
import { ago } from "../i18n/format";
import { useWords } from "../i18n/language";
import { Dialog } from "../ui/Dialog";
import { TextField } from "../ui/Field";
import { Icon } from "../ui/Icon";
import { Loading, Nothing, ProblemNotice } from "../ui/Notices";
import { useAction } from "../ui/useAction";
import { proposals, propose, type Proposal } from "./api";

const TONES: Record<Proposal["status"], string> = {
  draft: "tag",
  review: "tag warn",
  accepted: "tag accent",
  rejected: "tag bad",
  active: "tag ok",
};

export function Proposals() {
  const words = useWords();
  const [writing, setWriting] = useState(false);
  const list = useLoaded("proposals", proposals);
  return (
    <>
      <div className="row">
        <button type="button" className="button" onClick={() => setWriting(true)}>
          <Icon name="plus" />
          {words.skills.propose}
        </button>
      </div>
      <ProblemNotice problem={list.problem} onRetry={list.reload} />
      {list.loading && !list.value && <Loading />}
      {list.value?.items.length === 0 && <Nothing>{words.skills.noProposals}</Nothing>}
      <ul className="proposal-list">
        {list.value?.items.map(each => (
          <li key={each.id}>
            <a className="card" href={href("skills", null, { proposal: each.id })}>
              <strong>{each.name}</strong>
              <span className="grow muted">{each.note}</span>
              <span className="muted">{ago(each.submitted_at ?? each.created_at)}</span>
              <ProposalStatus status={each.status} />
            </a>
          </li>
        ))}
      </ul>
      {writing && <ProposeDialog onClose={() => setWriting(false)} />}
    </>
  );
}

export function ProposalStatus({ status }: { status: Proposal["status"] }) {
  const words = useWords();
  return <span className={TONES[status]}>{words.skills.status[status]}</span>;
}

const EXAMPLE = "---\nname: my-skill\ndescription: What it does, and when to use it.\n---\n\n";

function ProposeDialog({ onClose }: { onClose: () => void }) {
  const words = useWords();
  const [text, setText] = useState(EXAMPLE);
  const [note, setNote] = useState("");
  const { busy, problem, run } = useAction();
  async function onSubmit(event: FormEvent) {
    event.preventDefault();
    await run(async () => {
      const made = await propose(text, note);
      onClose();
      go(href("skills", null, { proposal: made.id }));
    });
  }
  return (
    <Dialog title={words.skills.propose} onClose={onClose}>
      <form className="stack" onSubmit={onSubmit}>
        <TextField label="SKILL.md" hint={words.skills.proposeHint} rows={12} value={text} onChange={setText} />
        <TextField label={words.skills.note} value={note} onChange={setNote} />
        <ProblemNotice problem={problem} />
        <div className="row">
          <button type="submit" className="button primary" disabled={busy}>
            {words.skills.submit}
          </button>
          <button type="button" className="button quiet" onClick={onClose}>
            {words.cancel}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
