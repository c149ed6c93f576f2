// Vendor keys: written, replaced, never read.
import { count, money } from "../i18n/format";
import { useWords } from "../i18n/language";
import { Row } from "../ui/Table";
import { change, list, remove, type Key } from "./api";
import { KeyForm } from "./KeyForm";
import { List } from "./List";
import { RowButtons } from "./RowButtons";

export function Keys() {
  const words = useWords().infra;
  return (
    <List<Key>
      name="keys"
      title={words.keys}
      intro={words.keysIntro}
      read={signal => list<Key>("keys", signal)}
      heads={[words.key, words.stored, words.today, words.limits]}
      row={(each, reload) => (
        <Row
          key={each.id}
          off={!each.enabled}
          cells={[
            <strong>{`${each.vendor}/${each.name}`}</strong>,
            each.last_four ? words.lastFour(each.last_four) : <span className="tag warn">{words.noKeyYet}</span>,
            <Today today={each.today} />,
            <span className="number">{limitsOf(each, words).join(" · ") || "–"}</span>,
            <RowButtons
              name={`${each.vendor}/${each.name}`}
              form={onDone => <KeyForm known={each} onDone={onDone} />}
              enabled={each.enabled}
              onToggle={() => change("keys", each.id, { enabled: !each.enabled })}
              onRemove={() => remove("keys", each.id)}
              onDone={reload}
            />,
          ]}
        />
      )}
      form={onDone => <KeyForm onDone={onDone} />}
    />
  );
}

function Today({ today }: { today: Key["today"] }) {
  const words = useWords().infra;
  const spent = Object.entries(today.money).map(([currency, amount]) => money(amount, currency));
  return (
    <span className="number">{[words.todayUse(count(today.requests), count(today.tokens)), ...spent].join(" · ")}</span>
  );
}

type InfraWords = ReturnType<typeof useWords>["infra"];

function limitsOf(key: Key, words: InfraWords): string[] {
  const found: string[] = [];
  if (key.requests_per_minute !== null) found.push(words.perMinute(count(key.requests_per_minute)));
  if (key.requests_per_day !== null) found.push(words.perDay(count(key.requests_per_day)));
  if (key.tokens_per_day !== null) found.push(words.tokensPerDay(count(key.tokens_per_day)));
  if (key.money_per_day !== null && key.money_currency !== null)
    found.push(words.perDay(money(key.money_per_day, key.money_currency)));
  return found;
}
