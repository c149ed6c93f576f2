// The sums of a period, one row for each currency.
import type { UsageTotal } from "../api/calls";
import { count, money, percent } from "../i18n/format";
import { useWords } from "../i18n/language";

export function Sums({ totals }: { totals: readonly UsageTotal[] }) {
  const words = useWords();
  return totals.map(total => (
    <dl key={total.currency} className="card figures ledger-sums">
      <div>
        <dt>{words.ledger.cost}</dt>
        <dd className="number large">{money(total.cost, total.currency)}</dd>
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
        <dt>{words.ledger.tokens}</dt>
        <dd className="number large">
          {count(total.input_tokens)} → {count(total.output_tokens)}
        </dd>
      </div>
      <div>
        <dt>{words.ledger.cached}</dt>
        <dd className="number large">{percent(total.cached_input_tokens, total.input_tokens)}</dd>
      </div>
    </dl>
  ));
}
