// What came of a test call.
import { count, duration, money } from "../i18n/format";
import { useWords } from "../i18n/language";
import { Markdown } from "../markdown/Markdown";
import type { Trial } from "./api";

export function TrialResult({ trial }: { trial: Trial }) {
  const words = useWords();
  const call = trial.calls.at(-1);
  const figures: [string, string][] = [
    [words.infra.first, trial.first_token_ms === null ? "–" : duration(trial.first_token_ms)],
    [words.infra.total, duration(trial.total_ms)],
  ];
  if (call) {
    figures.push([words.infra.model, `${call.vendor}/${call.model}`]);
    figures.push([words.ledger.inOut, `${count(call.input_tokens)} → ${count(call.output_tokens)}`]);
    figures.push([words.ledger.cost, call.cost === null ? words.unpriced : money(call.cost, call.currency)]);
  }
  return (
    <section className="card stack" aria-label={words.infra.answer} role="status">
      <h2>{words.infra.answer}</h2>
      <Markdown text={trial.answer} />
      <dl className="figures">
        {figures.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd className="number">{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
