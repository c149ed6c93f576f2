// What a run came to.
import { count, duration, money, percent } from "../i18n/format";
import { useWords } from "../i18n/language";
import type { RunItem } from "./items";

export function RunSums({ items, milliseconds }: { items: readonly RunItem[]; milliseconds: number }) {
  const words = useWords();
  const calls = items.flatMap(each => (each.call ? [each.call] : []));
  const input = sum(calls.map(each => each.input));
  const cached = sum(calls.map(each => each.cached));
  const first = calls.find(each => each.firstTokenMs !== null)?.firstTokenMs ?? null;
  const unpriced = calls.some(each => each.cost === null);
  const cost = sum(calls.map(each => Number(each.cost ?? 0)));
  const figures: [string, string][] = [
    [words.run.took, duration(milliseconds)],
    [words.run.firstToken, first === null ? "–" : duration(first)],
    [words.run.tokens, `${count(input)} → ${count(sum(calls.map(each => each.output)))}`],
    [words.run.cachedShare, input > 0 ? percent(cached, input) : "–"],
    [
      words.run.cost,
      calls.length === 0 ? "–" : unpriced && cost === 0 ? words.unpriced : money(String(cost), calls[0]!.currency),
    ],
  ];
  return (
    <dl className="figures">
      {figures.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd className="number">{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function sum(values: readonly number[]): number {
  return values.reduce((total, each) => total + each, 0);
}
