// A list of the infrastructure: read, shown as a table, added to by a form in a dialog.
import { useState, type FormEvent, type ReactNode } from "react";
import type { Problem } from "../api/http";
import { useLoaded } from "../api/useLoaded";
import { useWords } from "../i18n/language";
import { Dialog } from "../ui/Dialog";
import { Icon } from "../ui/Icon";
import { Loading, Nothing, ProblemNotice } from "../ui/Notices";
import { Table, type Head } from "../ui/Table";
import { useAction } from "../ui/useAction";

interface Props<Item> {
  name: string;
  title: string;
  intro: string;
  read: (signal: AbortSignal) => Promise<Item[]>;
  heads: readonly (string | Head)[];
  row: (item: Item, reload: () => void) => ReactNode;
  form: (onDone: () => void) => ReactNode;
}

export function List<Item>({ name, title, intro, read, heads, row, form }: Props<Item>) {
  const words = useWords();
  const [adding, setAdding] = useState(false);
  const found = useLoaded(`infra/${name}`, read);
  function done() {
    setAdding(false);
    found.reload();
  }
  return (
    <>
      <div className="row apart">
        <p className="muted list-intro">{intro}</p>
        <button type="button" className="button" onClick={() => setAdding(true)}>
          <Icon name="plus" />
          {words.add}
        </button>
      </div>
      <ProblemNotice problem={found.problem} onRetry={found.reload} />
      {found.loading && !found.value && <Loading />}
      {found.value?.length === 0 && <Nothing>{words.infra.none}</Nothing>}
      {found.value && found.value.length > 0 && (
        <Table label={title} heads={heads} actions>
          {found.value.map(each => row(each, found.reload))}
        </Table>
      )}
      {adding && (
        <Dialog title={words.infra.addTo(title)} onClose={() => setAdding(false)}>
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
      <div className="row at-end">
        <button type="submit" className="button primary" disabled={busy}>
          {words.save}
        </button>
      </div>
    </form>
  );
}
