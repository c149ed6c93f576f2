// Cost by day as bars; where nothing is priced, tokens. Each bar leads to the calls of its day.
import type { UsageTotal } from "../api/calls";
import { href } from "../app/route";
import { count, day, money } from "../i18n/format";
import { useWords } from "../i18n/language";

const WIDTH = 720;
const HEIGHT = 170;
const FOOT = 22;
const MOST_DAYS = 90;

export function DayPlot({ totals, period }: { totals: readonly UsageTotal[]; period: string }) {
  const words = useWords();
  const days = filled(totals, period === "all" ? MOST_DAYS : Number(period));
  const priced = days.some(each => each.cost > 0);
  const valueOf = (each: Day) => (priced ? each.cost : each.tokens);
  const most = Math.max(...days.map(valueOf), Number.MIN_VALUE);
  const step = WIDTH / days.length;
  const shown = (each: Day) => (priced ? money(String(each.cost), each.currency) : count(each.tokens));
  return (
    <section className="card stack" aria-labelledby="by-day">
      <div className="row apart">
        <h2 id="by-day">{words.ledger.byDay}</h2>
        <span className="muted number">{priced ? money(String(most), days.at(-1)!.currency) : count(most)} max</span>
      </div>
      <svg className="plot" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="group" aria-labelledby="by-day">
        <line x1="0" x2={WIDTH} y1={HEIGHT - FOOT + 0.5} y2={HEIGHT - FOOT + 0.5} className="plot-axis" />
        {days.map((each, index) => {
          const height = (valueOf(each) / most) * (HEIGHT - FOOT - 8);
          const label = `${day(each.date)}: ${shown(each)}`;
          const bar = (
            <rect
              className="plot-bar"
              x={index * step + step * 0.14}
              width={step * 0.72}
              y={HEIGHT - FOOT - height}
              height={height}
              rx={Math.min(3, step * 0.2)}
            />
          );
          if (each.calls === 0) return null;
          return (
            <a
              key={each.date}
              href={href("ledger", null, { by: "day", of: each.date, days: period })}
              aria-label={label}
            >
              <title>{label}</title>
              <rect className="plot-reach" x={index * step} width={step} y="0" height={HEIGHT - FOOT} />
              {bar}
            </a>
          );
        })}
        {[0, Math.floor((days.length - 1) / 2), days.length - 1].map((index, place) => (
          <text
            key={place}
            className="plot-label"
            x={place === 0 ? 0 : place === 2 ? WIDTH : WIDTH / 2}
            y={HEIGHT - 5}
            textAnchor={place === 0 ? "start" : place === 2 ? "end" : "middle"}
          >
            {day(days[index]!.date)}
          </text>
        ))}
      </svg>
    </section>
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
    const name = new Intl.DateTimeFormat("sv-SE").format(date);
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
