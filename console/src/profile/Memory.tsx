// The long-term memory of the assistant, to be seen, edited and deleted.
import { useState } from "react";
import { useLoaded } from "../api/useLoaded";
import { useWords } from "../i18n/language";
import { Dialog } from "../ui/Dialog";
import { TextField } from "../ui/Field";
import { Loading, ProblemNotice } from "../ui/Notices";
import { useAction } from "../ui/useAction";
import { deleteMemory, readMemory, writeMemory } from "./memoryFile";

export function Memory() {
  const words = useWords();
  const found = useLoaded("memory", readMemory);
  return (
    <section className="card stack" aria-label={words.profile.memory}>
      <div>
        <h2>{words.profile.memory}</h2>
        <p className="muted">{words.profile.memoryIntro}</p>
      </div>
      <ProblemNotice problem={found.problem} onRetry={found.reload} />
      {found.loading && found.value === null && <Loading />}
      {found.value !== null && <Editor key={found.value} text={found.value} onChanged={found.reload} />}
    </section>
  );
}

function Editor({ text, onChanged }: { text: string; onChanged: () => void }) {
  const words = useWords();
  const [draft, setDraft] = useState(text);
  const [asking, setAsking] = useState(false);
  const { busy, problem, run } = useAction();
  async function does(work: () => Promise<unknown>) {
    if (!(await run(work))) return;
    setAsking(false);
    onChanged();
  }
  return (
    <>
      <TextField
        label="memory/MEMORY.md"
        hint={text === "" ? words.profile.noMemory : undefined}
        rows={8}
        value={draft}
        onChange={setDraft}
      />
      <ProblemNotice problem={problem} />
      <div className="row">
        <button
          type="button"
          className="button primary"
          disabled={busy || draft === text}
          onClick={() => void does(() => writeMemory(draft))}
        >
          {words.save}
        </button>
        <button type="button" className="button danger" disabled={busy || text === ""} onClick={() => setAsking(true)}>
          {words.profile.deleteMemory}
        </button>
      </div>
      {asking && (
        <Dialog title={words.profile.deleteMemory} onClose={() => setAsking(false)}>
          <p>{words.profile.deleteMemoryExplained}</p>
          <div className="row">
            <button type="button" className="button danger" disabled={busy} onClick={() => void does(deleteMemory)}>
              {words.delete}
            </button>
            <button type="button" className="button quiet" onClick={() => setAsking(false)}>
              {words.cancel}
            </button>
          </div>
        </Dialog>
      )}
    </>
  );
}
