// The sums of a period, one row for each currency.
import type { UsageTotal } from "../api/calls";
import { count, percent } from "../i18n/format";
import { useWords } from "../i18n/language";
import { costOf } from "./GroupTable";

export function Sums({ totals }: { totals: readonly UsageTotal[] }) {
  const words = useWords();
  return totals.map(total => (
    <dl key={total.currency} className="card figures ledger-sums">
      <div>
        <dt>{words.ledger.cost}</dt>
        <dd className="number large">{costOf(total, words.unpriced)}</dd>
        {total.unpriced_calls > 0 && (
          <dd className="muted note">{words.ledger.unpricedCalls(count(total.unpriced_calls))}</dd>
        )}
      </div>
      <div>
        <dt>{words.ledger.calls}</dt>
        <dd className="number large">{count(total.calls)}</dd>
        {total.estimated_calls > 0 && (
          <dd className="muted note">{words.ledger.estimated(count(total.estimated_calls))}</dd>
        )}
      </div>
      <div>
        <dt>{words.ledger.inOut}</dt>
        <dd className="number large">
          {count(total.input_tokens)} <span className="arrow">→</span> {count(total.output_tokens)}
        </dd>
      </div>
      <div>
        <dt>{words.ledger.cached}</dt>
        <dd className="number large">{percent(total.cached_input_tokens, total.input_tokens)}</dd>
      </div>
    </dl>
  ));
}
