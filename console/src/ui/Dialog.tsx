// A modal dialog on the browser's own element: it traps the focus and closes with Escape.
import { useId, useLayoutEffect, useRef, type ReactNode } from "react";
import { useWords } from "../i18n/language";
import { Icon } from "./Icon";

/** The button that closes it stands last, so that the focus begins at what the dialog is for. */
export function Dialog({ title, onClose, children }: { title: string; onClose: () => void; children: ReactNode }) {
  const words = useWords();
  const ref = useRef<HTMLDialogElement>(null);
  const id = useId();
  useLayoutEffect(() => {
    const dialog = ref.current;
    dialog?.showModal();
    return () => dialog?.close(); // while it still stands in the page: that gives the focus back
  }, []);
  return (
    <dialog ref={ref} className="dialog" aria-labelledby={id} onCancel={onClose}>
      <div className="stack">
        <h2 id={id}>{title}</h2>
        {children}
      </div>
      <button type="button" className="button quiet icon small dialog-close" aria-label={words.close} onClick={onClose}>
        <Icon name="close" />
      </button>
    </dialog>
  );
}
