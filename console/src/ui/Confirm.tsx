// Asks before something goes for good. The focus begins at the way back.
import { useWords } from "../i18n/language";
import { Dialog } from "./Dialog";
import { ProblemNotice } from "./Notices";
import { useAction } from "./useAction";

interface Props {
  title: string;
  explained: string;
  onDelete: () => Promise<unknown>;
  onDone: () => void;
  onClose: () => void;
}

export function Confirm({ title, explained, onDelete, onDone, onClose }: Props) {
  const words = useWords();
  const { busy, problem, run } = useAction();
  return (
    <Dialog title={title} onClose={onClose}>
      <p>{explained}</p>
      <ProblemNotice problem={problem} />
      <div className="row at-end">
        <button type="button" className="button" onClick={onClose}>
          {words.cancel}
        </button>
        <button
          type="button"
          className="button danger"
          disabled={busy}
          onClick={() => void run(onDelete).then(done => done && onDone())}
        >
          {words.delete}
        </button>
      </div>
    </Dialog>
  );
}
