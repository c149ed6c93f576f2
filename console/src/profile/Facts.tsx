// Facts learned from conversations, to be seen and forgotten.
import { dateTime, percent } from "../i18n/format";
import { useWords } from "../i18n/language";
import { Icon } from "../ui/Icon";
import { ProblemNotice } from "../ui/Notices";
import { useAction } from "../ui/useAction";
import { changeProfile, type Fact } from "./api";

export function Facts({ facts, onChanged }: { facts: readonly Fact[]; onChanged: () => void }) {
  const words = useWords().profile;
  const { busy, problem, run } = useAction();
  async function forget(index: number) {
    if (await run(() => changeProfile({ extracted: facts.toSpliced(index, 1) }))) onChanged();
  }
  return (
    <section className="card stack" aria-label={words.facts}>
      <h2>{words.facts}</h2>
      <ProblemNotice problem={problem} />
      {facts.length === 0 && <p className="muted">{words.noFacts}</p>}
      <ul className="files">
        {facts.map((each, index) => (
          <li key={`${each.fact}${each.at}`} className="row apart">
            <span>
              {each.fact}
              <span className="muted note">
                {" "}
                · {each.source} · {dateTime(each.at)} · {words.confidence(percent(each.confidence, 1))}
              </span>
            </span>
            <button
              type="button"
              className="button quiet icon small"
              disabled={busy}
              aria-label={words.forgetFact(each.fact)}
              onClick={() => void forget(index)}
            >
              <Icon name="trash" />
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
