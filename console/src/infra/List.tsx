// A list of the infrastructure: read, shown as a table, added to by a form in a dialog, taken from after a question.
import { useState, type FormEvent, type ReactNode } from "react";
import type { Problem } from "../api/http";
import { useLoaded } from "../api/useLoaded";
import { useWords } from "../i18n/language";
import { Dialog } from "../ui/Dialog";
import { Icon } from "../ui/Icon";
import { Loading, Nothing, ProblemNotice } from "../ui/Notices";
import { useAction } from "../ui/useAction";

interface Props<Item> {
  name: string;
  title: string;
  read: (signal: AbortSignal) => Promise<Item[]>;
  heads: readonly string[];
  row: (item: Item, reload: () => void) => ReactNode;
  form?: (onDone: () => void) => ReactNode;
}

export function List<Item>({ name, title, read, heads, row, form }: Props<Item>) {
  const words = useWords();
  const [adding, setAdding] = useState(false);
  const found = useLoaded(`infra/${name}`, read);
  function done() {
    setAdding(false);
    found.reload();
  }
  return (
    <>
      {form && (
        <div className="row">
          <button type="button" className="button" onClick={() => setAdding(true)}>
            <Icon name="plus" />
            {words.add}
          </button>
        </div>
      )}
      <ProblemNotice problem={found.problem} onRetry={found.reload} />
      {found.loading && !found.value && <Loading />}
      {found.value?.length === 0 && <Nothing>{words.infra.none}</Nothing>}
      {found.value && found.value.length > 0 && (
        <div className="table-wrap" tabIndex={0} role="region" aria-label={title}>
          <table>
            <thead>
              <tr>
                {heads.map(each => (
                  <th key={each}>{each}</th>
                ))}
                <th>
                  <span className="unseen">{words.edit}</span>
                </th>
              </tr>
            </thead>
            <tbody>{found.value.map(each => row(each, found.reload))}</tbody>
          </table>
        </div>
      )}
      {adding && form && (
        <Dialog title={title} onClose={() => setAdding(false)}>
          {form(done)}
        </Dialog>
      )}
    </>
  );
}

interface FormProps {
  fields: readonly string[];
  onSave: () => Promise<unknown>;
  onDone: () => void;
  children: (problem: Problem | null) => ReactNode;
}

/** A form in a dialog; what is wrong stands at its field, or below. */
export function ListForm({ fields, onSave, onDone, children }: FormProps) {
  const words = useWords();
  const { busy, problem, run } = useAction();
  async function onSubmit(event: FormEvent) {
    event.preventDefault();
    if (await run(onSave)) onDone();
  }
  const beside = problem !== null && fields.some(field => problem.of(field) !== undefined);
  return (
    <form className="stack" onSubmit={onSubmit} noValidate>
      {children(problem)}
      {!beside && <ProblemNotice problem={problem} />}
      <div className="row">
        <button type="submit" className="button primary" disabled={busy}>
          {words.save}
        </button>
      </div>
    </form>
  );
}

/** Enable, disable, remove: the buttons at the end of a row. */
export function RowButtons({
  name,
  enabled,
  onToggle,
  onRemove,
  onDone,
}: {
  name: string;
  enabled?: boolean;
  onToggle?: () => Promise<unknown>;
  onRemove: () => Promise<unknown>;
  onDone: () => void;
}) {
  const words = useWords();
  const [asking, setAsking] = useState(false);
  const { busy, problem, run } = useAction();
  async function does(work: () => Promise<unknown>) {
    if (!(await run(work))) return;
    setAsking(false);
    onDone();
  }
  return (
    <div className="row row-buttons">
      {!asking && <ProblemNotice problem={problem} />}
      {onToggle && (
        <button type="button" className="button quiet small" disabled={busy} onClick={() => void does(onToggle)}>
          {enabled ? words.infra.disable : words.infra.enable}
        </button>
      )}
      <button
        type="button"
        className="button quiet icon small"
        aria-label={words.infra.removeNamed(name)}
        onClick={() => setAsking(true)}
      >
        <Icon name="trash" />
      </button>
      {asking && (
        <Dialog title={words.infra.removeTitle} onClose={() => setAsking(false)}>
          <p>{words.infra.removeExplained(name)}</p>
          <ProblemNotice problem={problem} />
          <div className="row">
            <button type="button" className="button danger" disabled={busy} onClick={() => void does(onRemove)}>
              {words.delete}
            </button>
            <button type="button" className="button quiet" onClick={() => setAsking(false)}>
              {words.cancel}
            </button>
          </div>
        </Dialog>
      )}
    </div>
  );
}
