// Cost by day as bars; where nothing is priced, tokens. Each bar leads to the calls of its day.
import type { UsageTotal } from "../api/calls";
import { href } from "../app/route";
import { count, day, localDay, money } from "../i18n/format";
import { useWords } from "../i18n/language";

const WIDTH = 720;
const HEIGHT = 150;
const HEAD = 8; // above the highest bar
const MOST_DAYS = 90;

export function DayPlot({ totals, period }: { totals: readonly UsageTotal[]; period: string }) {
  const words = useWords().ledger;
  const days = filled(totals, period === "all" ? MOST_DAYS : Number(period));
  const priced = days.some(each => each.cost > 0);
  const valueOf = (each: Day) => (priced ? each.cost : each.tokens);
  const shown = (each: Day) =>
    priced ? money(String(each.cost), each.currency) : words.tokenCount(count(each.tokens));
  const highest = days.reduce((one, other) => (valueOf(other) > valueOf(one) ? other : one));
  const scale = (HEIGHT - HEAD) / Math.max(valueOf(highest), Number.MIN_VALUE);
  const step = WIDTH / days.length;
  const ticks = [days[0]!, days[Math.floor((days.length - 1) / 2)]!, days.at(-1)!];
  return (
    <section className="card stack" aria-labelledby="by-day">
      <div className="row apart">
        <h2 id="by-day">{words.by.day}</h2>
        <span className="muted number">{words.highest(day(highest.date), shown(highest))}</span>
      </div>
      <figure>
        <svg className="plot" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="group">
          {days.map((each, index) => (
            <Bar
              key={each.date}
              label={`${day(each.date)}: ${shown(each)}`}
              to={each.calls > 0 ? href("ledger", null, { by: "day", of: each.date, days: period }) : null}
              left={index * step}
              step={step}
              height={valueOf(each) * scale}
            />
          ))}
        </svg>
        <figcaption className="plot-days number">
          {ticks.map(each => (
            <span key={each.date}>{day(each.date)}</span>
          ))}
        </figcaption>
      </figure>
    </section>
  );
}

interface BarProps {
  label: string;
  to: string | null;
  left: number;
  step: number;
  height: number;
}

function Bar({ label, to, left, step, height }: BarProps) {
  if (to === null) return null;
  return (
    <a href={to} aria-label={label}>
      <title>{label}</title>
      <rect className="plot-reach" x={left} width={step} y="0" height={HEIGHT} />
      <rect className="plot-bar" x={left + step * 0.14} width={step * 0.72} y={HEIGHT - height} height={height} />
    </a>
  );
}

interface Day {
  date: string;
  cost: number;
  tokens: number;
  calls: number;
  currency: string;
}

/** One entry for each day up to today, those without calls included. */
function filled(totals: readonly UsageTotal[], length: number): Day[] {
  const known = new Map(totals.map(each => [each.group, each]));
  const currency = totals[0]?.currency ?? "CNY";
  return Array.from({ length }, (_, index) => {
    const date = new Date();
    date.setDate(date.getDate() - (length - 1 - index));
    const name = localDay(date);
    const found = known.get(name);
    return {
      date: name,
      cost: Number(found?.cost ?? 0),
      tokens: (found?.input_tokens ?? 0) + (found?.output_tokens ?? 0),
      calls: found?.calls ?? 0,
      currency,
    };
  });
}
