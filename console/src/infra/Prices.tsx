// The prices, each from a day on.
import { useState } from "react";
import { useWords } from "../i18n/language";
import { TextField } from "../ui/Field";
import { list, remove, setPrice, type Price } from "./api";
import { List, ListForm, RowButtons } from "./List";
import { ModelField } from "./VendorField";

const RATES = ["input", "cached_input", "output"] as const;

export function Prices() {
  const words = useWords().infra;
  return (
    <List<Price>
      name="prices"
      title={words.prices}
      read={signal => list<Price>("prices", signal)}
      heads={[words.model, words.currency, words.validFrom, words.input, words.cachedInput, words.output]}
      row={(each, reload) => (
        <tr key={each.id}>
          <td>
            <strong>{each.model}</strong>
            <div className="muted note">{each.source}</div>
          </td>
          <td>{each.currency}</td>
          <td className="number">{each.valid_from}</td>
          {RATES.map(rate => (
            <td key={rate} className="number">
              {each[rate] === null ? "–" : Number(each[rate])}
            </td>
          ))}
          <td>
            <RowButtons
              name={`${each.model} ${each.valid_from}`}
              onRemove={() => remove("prices", each.id)}
              onDone={reload}
            />
          </td>
        </tr>
      )}
      form={onDone => <PriceForm onDone={onDone} />}
    />
  );
}

function PriceForm({ onDone }: { onDone: () => void }) {
  const words = useWords().infra;
  const [model, setModel] = useState("");
  const [currency, setCurrency] = useState("CNY");
  const [validFrom, setValidFrom] = useState(() => new Intl.DateTimeFormat("sv-SE").format(new Date()));
  const [source, setSource] = useState("");
  const [rates, setRates] = useState<Record<string, string>>({});
  const given = Object.fromEntries(Object.entries(rates).filter(([, each]) => each !== ""));
  const wish = { model, currency, valid_from: validFrom, source, ...given };
  const labels = { input: words.input, cached_input: words.cachedInput, output: words.output };
  return (
    <ListForm
      fields={["model", "currency", "valid_from", "source", ...RATES]}
      onSave={() => setPrice(wish)}
      onDone={onDone}
    >
      {problem => (
        <>
          <ModelField value={model} onChange={setModel} wrong={problem?.of("model")} />
          <div className="fields">
            <TextField label={words.currency} value={currency} onChange={setCurrency} wrong={problem?.of("currency")} />
            <TextField
              type="date"
              label={words.validFrom}
              value={validFrom}
              onChange={setValidFrom}
              wrong={problem?.of("valid_from")}
            />
            {RATES.map(rate => (
              <TextField
                key={rate}
                label={labels[rate]}
                hint={words.perMillion}
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
