// The prices, each from a day on.
import { useState } from "react";
import { useWords } from "../i18n/language";
import { TextField } from "../ui/Field";
import { Row } from "../ui/Table";
import { list, RATES, remove, setPrice, type Price, type Rate } from "./api";
import { List, ListForm } from "./List";
import { RowButtons } from "./RowButtons";
import { ModelField } from "./VendorField";

const SHOWN = ["input", "cached_input", "output"] as const;

export function Prices() {
  const words = useWords().infra;
  return (
    <List<Price>
      name="prices"
      title={words.prices}
      intro={words.pricesIntro}
      read={signal => list<Price>("prices", signal)}
      heads={[
        words.model,
        words.validFrom,
        words.currency,
        ...SHOWN.map(each => ({ shown: words.rates[each], number: true })),
      ]}
      row={(each, reload) => (
        <Row
          key={each.id}
          cells={[
            <>
              <strong>{each.model}</strong>
              <div className="muted note">{each.source}</div>
            </>,
            <span className="number">{each.valid_from}</span>,
            each.currency,
            ...SHOWN.map(rate => (each[rate] === null ? "–" : Number(each[rate]))),
            <RowButtons
              name={`${each.model} ${each.valid_from}`}
              form={onDone => <PriceForm price={each} onDone={onDone} />}
              onRemove={() => remove("prices", each.id)}
              onDone={reload}
            />,
          ]}
        />
      )}
      form={onDone => <PriceForm onDone={onDone} />}
    />
  );
}

/** Prices change with the day as the server counts days, in UTC, wherever the reader is. */
function today(): string {
  return new Date().toISOString().slice(0, 10);
}

function PriceForm({ price, onDone }: { price?: Price; onDone: () => void }) {
  const words = useWords().infra;
  const [model, setModel] = useState(price?.model ?? "");
  const [currency, setCurrency] = useState(price?.currency ?? "CNY");
  const [validFrom, setValidFrom] = useState(price?.valid_from ?? today());
  const [source, setSource] = useState(price?.source ?? "");
  const [rates, setRates] = useState<Partial<Record<Rate, string>>>(() =>
    Object.fromEntries(RATES.flatMap(rate => (price?.[rate] ? [[rate, String(Number(price[rate]))]] : []))),
  );
  const given = Object.fromEntries(RATES.map(rate => [rate, rates[rate] || null]));
  const wish = { model, currency, valid_from: validFrom, source, ...given };
  return (
    <ListForm
      fields={["model", "currency", "valid_from", "source", ...RATES]}
      onSave={() => setPrice(wish)}
      onDone={onDone}
    >
      {problem => (
        <>
          {!price && (
            <>
              <ModelField value={model} onChange={setModel} wrong={problem?.of("model")} />
              <div className="fields">
                <TextField
                  label={words.currency}
                  value={currency}
                  onChange={setCurrency}
                  wrong={problem?.of("currency")}
                />
                <TextField
                  type="date"
                  label={words.validFrom}
                  hint={words.validFromHint}
                  value={validFrom}
                  onChange={setValidFrom}
                  wrong={problem?.of("valid_from")}
                />
              </div>
            </>
          )}
          <div className="fields three">
            {RATES.map(rate => (
              <TextField
                key={rate}
                label={words.rates[rate]}
                hint={rate.startsWith("per_") ? undefined : words.perMillion}
                value={rates[rate] ?? ""}
                onChange={value => setRates(before => ({ ...before, [rate]: value }))}
                wrong={problem?.of(rate)}
              />
            ))}
          </div>
          <TextField
            label={words.source}
            value={source}
            onChange={setSource}
            wrong={problem?.of("source")}
            placeholder="https://…"
          />
        </>
      )}
    </ListForm>
  );
}
