// The long-term memory of the assistant, to be seen, edited and deleted.
import { useState } from "react";
import { useLoaded } from "../api/useLoaded";
import { useWords } from "../i18n/language";
import { Confirm } from "../ui/Confirm";
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
  function done() {
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
          onClick={() => void run(() => writeMemory(draft)).then(fine => fine && done())}
        >
          {words.save}
        </button>
        <button type="button" className="button danger" disabled={busy || text === ""} onClick={() => setAsking(true)}>
          {words.profile.deleteMemory}
        </button>
      </div>
      {asking && (
        <Confirm
          title={words.profile.deleteMemory}
          explained={words.profile.deleteMemoryExplained}
          onDelete={deleteMemory}
          onDone={done}
          onClose={() => setAsking(false)}
        />
      )}
    </>
  );
}
