// Sign in with an operator key. The server answers with a cookie that no script can read.
import { useState, type FormEvent } from "react";
import { Preferences } from "../app/Preferences";
import { signIn } from "../app/session";
import { useWords } from "../i18n/language";
import { TextField } from "../ui/Field";
import { Mark } from "../ui/Mark";
import { useAction } from "../ui/useAction";

export function SignIn({ onSignedIn }: { onSignedIn: () => void }) {
  const words = useWords();
  const [key, setKey] = useState("");
  const { busy, problem, run } = useAction();
  async function onSubmit(event: FormEvent) {
    event.preventDefault();
    if (await run(() => signIn(key.trim()))) onSignedIn();
  }
  const said = problem && (words.problems[problem.code] ?? (problem.detail || problem.title));
  const wrong = problem?.isOffline ? words.unreachable : said;
  return (
    <main className="signin">
      <form className="card stack" onSubmit={onSubmit}>
        <Mark size={40} />
        <h1>{words.signin.title}</h1>
        <p className="muted">{words.signin.explained}</p>
        <TextField
          type="password"
          label={words.signin.key}
          value={key}
          onChange={setKey}
          wrong={wrong}
          required
          placeholder="weft_op_…"
        />
        <button type="submit" className="button primary" disabled={busy || key.trim() === ""}>
          {words.signin.enter}
        </button>
        <p className="muted">
          {words.signin.make} <code>weft keys operators create</code>
        </p>
        <Preferences />
      </form>
    </main>
  );
}
