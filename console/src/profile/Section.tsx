// A part of the profile that is saved on its own.
import { useState, type FormEvent, type ReactNode } from "react";
import type { Problem } from "../api/http";
import { useWords } from "../i18n/language";
import { ProblemNotice } from "../ui/Notices";
import { useAction } from "../ui/useAction";

interface Props {
  title: string;
  hint?: string;
  fields: readonly string[]; // whose problems are shown beside them, and not once more below
  onSave: () => Promise<unknown>;
  children: (problem: Problem | null) => ReactNode;
}

export function Section({ title, hint, fields, onSave, children }: Props) {
  const words = useWords();
  const [saved, setSaved] = useState(false);
  const { busy, problem, run } = useAction();
  async function onSubmit(event: FormEvent) {
    event.preventDefault();
    setSaved(false);
    setSaved(await run(onSave));
  }
  const shownBeside = problem !== null && fields.some(field => problem.of(field) !== undefined);
  return (
    <form className="card stack" onSubmit={onSubmit} onChange={() => setSaved(false)} aria-label={title} noValidate>
      <div>
        <h2>{title}</h2>
        {hint && <p className="muted">{hint}</p>}
      </div>
      {children(problem)}
      {!shownBeside && <ProblemNotice problem={problem} />}
      <div className="row">
        <button type="submit" className="button primary" disabled={busy}>
          {words.save}
        </button>
        {saved && (
          <span className="tag ok" role="status">
            {words.saved}
          </span>
        )}
      </div>
    </form>
  );
}
