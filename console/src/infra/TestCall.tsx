// Really call a model, and see what was answered, how long it took and what it cost.
import { useState, type FormEvent } from "react";
import { useWords } from "../i18n/language";
import { TextField } from "../ui/Field";
import { ProblemNotice } from "../ui/Notices";
import { useAction } from "../ui/useAction";
import { testCall, type Trial } from "./api";
import { TrialResult } from "./TrialResult";

export function TestCall() {
  const words = useWords().infra;
  const [model, setModel] = useState("default");
  const [message, setMessage] = useState("");
  const [trial, setTrial] = useState<Trial | null>(null);
  const { busy, problem, run } = useAction();
  function onSubmit(event: FormEvent) {
    event.preventDefault();
    setTrial(null);
    void run(async () => setTrial(await testCall(model, message.trim() || undefined)));
  }
  return (
    <>
      <form className="card stack" onSubmit={onSubmit}>
        <TextField label={words.model} value={model} onChange={setModel} wrong={problem?.of("model")} />
        <TextField
          label={words.message}
          rows={2}
          value={message}
          onChange={setMessage}
          wrong={problem?.of("message")}
        />
        {!problem?.field && <ProblemNotice problem={problem} />}
        <div className="row">
          <button type="submit" className="button primary" disabled={busy}>
            {busy ? words.calling : words.call}
          </button>
        </div>
      </form>
      {trial && <TrialResult trial={trial} />}
    </>
  );
}
