// Sums by conversation, model, key or user, the dearest first, each with a bar for its share.
import type { UsageReport, UsageTotal } from "../api/calls";
import { href } from "../app/route";
import { count, money, percent } from "../i18n/format";
import { useWords } from "../i18n/language";
import type { Known } from "./knownSessions";
import type { Group } from "./Ledger";

interface Props {
  report: UsageReport;
  by: Group;
  known: Known;
  days: string;
}

const SHOWN = 12;

export function GroupTable({ report, by, known, days }: Props) {
  const words = useWords();
  const heading = {
    day: words.ledger.byDay,
    session: words.ledger.bySession,
    model: words.ledger.byModel,
    key: words.ledger.byKey,
    user: words.ledger.byUser,
  }[by];
  const weight = weightOf(report.totals);
  const most = Math.max(...report.totals.map(weight), Number.MIN_VALUE);
  return (
    <section className="stack" aria-label={heading}>
      <h2>{heading}</h2>
      <div className="table-wrap">
        <table>
          <thead>
            <tr>
              <th>{words.ledger.group}</th>
              <th className="number">{words.ledger.cost}</th>
              <th className="number">{words.ledger.calls}</th>
              <th className="number">{words.ledger.input}</th>
              <th className="number">{words.ledger.cached}</th>
              <th className="number">{words.ledger.output}</th>
            </tr>
          </thead>
          <tbody>
            {report.totals.slice(0, SHOWN).map(each => (
              <tr key={`${each.group}${each.currency}`}>
                <td className="group-cell">
                  <a href={href("ledger", null, { by, of: each.group ?? "", days })}>
                    {each.group === null
                      ? words.ledger.outside
                      : (known.get(each.group)?.title ?? shortened(each.group))}
                  </a>
                  <span className="share" aria-hidden="true">
                    <i style={{ width: `${(weight(each) / most) * 100}%` }} />
                  </span>
                </td>
                <td className="number">{costOf(each, words.unpriced)}</td>
                <td className="number">{count(each.calls)}</td>
                <td className="number">{count(each.input_tokens)}</td>
                <td className="number">{percent(each.cached_input_tokens, each.input_tokens)}</td>
                <td className="number">{count(each.output_tokens)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {(report.truncated || report.totals.length > SHOWN) && <p className="muted">{words.ledger.truncated}</p>}
    </section>
  );
}

/** By cost, or by tokens where nothing has a price. */
function weightOf(totals: readonly UsageTotal[]): (each: UsageTotal) => number {
  if (totals.some(each => Number(each.cost) > 0)) return each => Number(each.cost);
  return each => each.input_tokens + each.output_tokens;
}

function costOf(each: UsageTotal, unpriced: string): string {
  return each.unpriced_calls === each.calls ? unpriced : money(each.cost, each.currency);
}

function shortened(id: string): string {
  return /^[0-9a-f-]{36}$/.test(id) ? id.slice(0, 8) : id;
}
