// How a call differs from the one before it, and what broke the common beginning.
import { contextDiff, type ContextDiff } from "../api/calls";
import { useLoaded } from "../api/useLoaded";
import { count } from "../i18n/format";
import { useWords } from "../i18n/language";
import { DiffText } from "../ui/DiffText";
import { Loading, ProblemNotice } from "../ui/Notices";

export function Diff({ callId }: { callId: string }) {
  const words = useWords();
  const diff = useLoaded(`diff/${callId}`, signal => contextDiff(callId, signal));
  return (
    <section className="stack" aria-label={words.context.diff}>
      <h2>{words.context.diff}</h2>
      <ProblemNotice problem={diff.problem} onRetry={diff.reload} />
      {diff.loading && !diff.value && <Loading />}
      {diff.value && <Compared diff={diff.value} />}
    </section>
  );
}

function Compared({ diff }: { diff: ContextDiff }) {
  const words = useWords();
  return (
    <>
      <p className={diff.collapsed ? "notice warn" : "notice ok"}>
        <span className="grow">
          {diff.broke === null ? (
            words.context.unbroken
          ) : (
            <>
              {words.context.brokeAt} <code>{diff.broke}</code>
            </>
          )}{" "}
          · {words.context.common(count(diff.common_tokens), count(diff.total_after))}
        </span>
      </p>
      <ul className="blocks">
        {diff.changes.map((each, index) => (
          <li key={index} className="block">
            <details>
              <summary>
                <span className={each.stable ? "tag warn" : "tag"}>{words.context.changes[each.change]}</span>
                <code className="block-id">{each.id}</code>
                <span className="number block-tokens">
                  {count(each.tokens_before)} → {count(each.tokens_after)}
                </span>
              </summary>
              {each.difference.length > 0 && <DiffText lines={each.difference} />}
            </details>
          </li>
        ))}
      </ul>
    </>
  );
}
