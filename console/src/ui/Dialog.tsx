// A modal dialog on the browser's own element: it traps the focus and closes with Escape.
import { useEffect, useId, useRef, type ReactNode } from "react";
import { useWords } from "../i18n/language";
import { Icon } from "./Icon";

export function Dialog({ title, onClose, children }: { title: string; onClose: () => void; children: ReactNode }) {
  const words = useWords();
  const ref = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const dialog = ref.current;
    dialog?.showModal();
    return () => dialog?.close();
  }, []);
  return (
    <dialog ref={ref} className="dialog" aria-labelledby={id} onCancel={onClose}>
      <div className="stack">
        <div className="row apart">
          <h2 id={id}>{title}</h2>
          <button type="button" className="button quiet icon small" aria-label={words.close} onClick={onClose}>
            <Icon name="close" />
          </button>
        </div>
        {children}
      </div>
    </dialog>
  );
}
