// Edit, enable or disable, remove: the buttons at the end of a row.
import { useState, type ReactNode } from "react";
import { useWords } from "../i18n/language";
import { Confirm } from "../ui/Confirm";
import { Dialog } from "../ui/Dialog";
import { Icon } from "../ui/Icon";
import { ProblemNotice } from "../ui/Notices";
import { useAction } from "../ui/useAction";

interface Props {
  name: string;
  form?: (onDone: () => void) => ReactNode;
  enabled?: boolean;
  onToggle?: () => Promise<unknown>;
  onRemove: () => Promise<unknown>;
  onDone: () => void;
}

export function RowButtons({ name, form, enabled, onToggle, onRemove, onDone }: Props) {
  const words = useWords();
  const [open, setOpen] = useState<"form" | "question" | null>(null);
  const { busy, problem, run } = useAction();
  const close = () => setOpen(null);
  function done() {
    close();
    onDone();
  }
  return (
    <div className="row row-buttons">
      <ProblemNotice problem={problem} />
      {onToggle && (
        <button
          type="button"
          className="button quiet small"
          disabled={busy}
          onClick={() => void run(onToggle).then(fine => fine && done())}
        >
          {enabled ? words.infra.disable : words.infra.enable}
        </button>
      )}
      {form && (
        <button
          type="button"
          className="button quiet icon small"
          aria-label={words.infra.editNamed(name)}
          onClick={() => setOpen("form")}
        >
          <Icon name="edit" />
        </button>
      )}
      <button
        type="button"
        className="button quiet icon small"
        aria-label={words.infra.removeNamed(name)}
        onClick={() => setOpen("question")}
      >
        <Icon name="trash" />
      </button>
      {open === "form" && form && (
        <Dialog title={name} onClose={close}>
          {form(done)}
        </Dialog>
      )}
      {open === "question" && (
        <Confirm
          title={words.infra.removeTitle}
          explained={words.infra.removeExplained(name)}
          onDelete={onRemove}
          onDone={done}
          onClose={close}
        />
      )}
    </div>
  );
}
