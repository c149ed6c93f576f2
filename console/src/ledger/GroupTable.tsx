// Sums by conversation, model, key or user, the dearest first, each with a bar for its share.
import type { UsageReport, UsageTotal } from "../api/calls";
import { href } from "../app/route";
import { count, money, percent } from "../i18n/format";
import { useWords } from "../i18n/language";
import { Row, Table } from "../ui/Table";
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
  const weight = weightOf(report.totals);
  const most = Math.max(...report.totals.map(weight), Number.MIN_VALUE);
  const heads = [words.ledger.cost, words.ledger.calls, words.ledger.input, words.ledger.cached, words.ledger.output];
  return (
    <section className="stack" aria-label={words.ledger.by[by]}>
      <h2>{words.ledger.by[by]}</h2>
      <Table
        label={words.ledger.by[by]}
        heads={[words.ledger.groups[by], ...heads.map(shown => ({ shown, number: true }))]}
      >
        {report.totals.slice(0, SHOWN).map(each => (
          <Row
            key={`${each.group}${each.currency}`}
            cells={[
              <span className="group-cell">
                <CallsLink total={each} by={by} days={days}>
                  {nameOf(each, by, known, words.ledger)}
                </CallsLink>
                <span className="share" aria-hidden="true">
                  <i style={{ width: `${(weight(each) / most) * 100}%` }} />
                </span>
              </span>,
              <CallsLink total={each} by={by} days={days}>
                {costOf(each, words.unpriced)}
              </CallsLink>,
              count(each.calls),
              count(each.input_tokens),
              percent(each.cached_input_tokens, each.input_tokens),
              count(each.output_tokens),
            ]}
          />
        ))}
      </Table>
      {(report.truncated || report.totals.length > SHOWN) && <p className="muted">{words.ledger.truncated}</p>}
    </section>
  );
}

interface LinkProps {
  total: UsageTotal;
  by: Group;
  days: string;
  children: string;
}

function CallsLink({ total, by, days, children }: LinkProps) {
  return <a href={href("ledger", null, { by, of: total.group ?? "", days })}>{children}</a>;
}

/** By cost, or by tokens where nothing has a price. */
function weightOf(totals: readonly UsageTotal[]): (each: UsageTotal) => number {
  if (totals.some(each => Number(each.cost) > 0)) return each => Number(each.cost);
  return each => each.input_tokens + each.output_tokens;
}

export function costOf(total: UsageTotal, unpriced: string): string {
  return total.unpriced_calls === total.calls ? unpriced : money(total.cost, total.currency);
}

type LedgerWords = ReturnType<typeof useWords>["ledger"];

/** A conversation by its title; one that is gone, like a user, by the end of its id. */
function nameOf({ group }: UsageTotal, by: Group, known: Known, words: LedgerWords): string {
  if (group === null) return words.outside;
  if (by === "session") return known.get(group)?.title ?? words.untitledSession(group.slice(-8));
  return by === "user" ? group.slice(-8) : group;
}
