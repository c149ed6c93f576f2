// Vendor keys: written, replaced, never read.
import { useState } from "react";
import { count, money } from "../i18n/format";
import { useWords } from "../i18n/language";
import { Dialog } from "../ui/Dialog";
import { TextField } from "../ui/Field";
import { change, list, make, remove, type Key } from "./api";
import { List, ListForm, RowButtons } from "./List";
import { VendorField } from "./VendorField";

export function Keys() {
  const words = useWords().infra;
  return (
    <List<Key>
      name="keys"
      title={words.keys}
      read={signal => list<Key>("keys", signal)}
      heads={[words.vendor, words.name, words.key, words.today, words.limits]}
      row={(each, reload) => <KeyRow key={each.id} vendorKey={each} reload={reload} />}
      form={onDone => <KeyForm onDone={onDone} />}
    />
  );
}

function KeyRow({ vendorKey: each, reload }: { vendorKey: Key; reload: () => void }) {
  const words = useWords().infra;
  const [replacing, setReplacing] = useState(false);
  return (
    <tr className={each.enabled ? undefined : "off"}>
      <td>{each.vendor}</td>
      <td>
        <strong>{each.name}</strong>
      </td>
      <td>{each.last_four ? words.lastFour(each.last_four) : <span className="tag warn">{words.noKeyYet}</span>}</td>
      <td className="number">
        {words.todayUse(count(each.today.requests), count(each.today.tokens))}
        {Object.entries(each.today.money).map(([currency, amount]) => (
          <div key={currency}>{money(amount, currency)}</div>
        ))}
      </td>
      <td className="number">{limitsOf(each, words).join(" · ") || "–"}</td>
      <td>
        <button type="button" className="button quiet small" onClick={() => setReplacing(true)}>
          {words.newKey}
        </button>
        <RowButtons
          name={`${each.vendor}/${each.name}`}
          enabled={each.enabled}
          onToggle={() => change("keys", each.id, { enabled: !each.enabled })}
          onRemove={() => remove("keys", each.id)}
          onDone={reload}
        />
        {replacing && (
          <ReplaceDialog
            id={each.id}
            onClose={() => setReplacing(false)}
            onDone={() => {
              setReplacing(false);
              reload();
            }}
          />
        )}
      </td>
    </tr>
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

function ReplaceDialog({ id, onClose, onDone }: { id: string; onClose: () => void; onDone: () => void }) {
  const words = useWords().infra;
  const [secret, setSecret] = useState("");
  return (
    <Dialog title={words.newKey} onClose={onClose}>
      <ListForm fields={["secret"]} onSave={() => change("keys", id, { secret })} onDone={onDone}>
        {problem => <SecretField value={secret} onChange={setSecret} wrong={problem?.of("secret")} />}
      </ListForm>
    </Dialog>
  );
}

export function SecretField({
  value,
  onChange,
  wrong,
}: {
  value: string;
  onChange: (value: string) => void;
  wrong?: string | null;
}) {
  const words = useWords().infra;
  return (
    <TextField type="password" label={words.key} hint={words.keyHint} value={value} onChange={onChange} wrong={wrong} />
  );
}

function KeyForm({ onDone }: { onDone: () => void }) {
  const words = useWords().infra;
  const [vendor, setVendor] = useState("");
  const [name, setName] = useState("main");
  const [secret, setSecret] = useState("");
  return (
    <ListForm
      fields={["vendor", "name", "secret"]}
      onSave={() => make("keys", { vendor, name, secret })}
      onDone={onDone}
    >
      {problem => (
        <>
          <VendorField value={vendor} onChange={setVendor} wrong={problem?.of("vendor")} />
          <TextField label={words.name} value={name} onChange={setName} wrong={problem?.of("name")} />
          <SecretField value={secret} onChange={setSecret} wrong={problem?.of("secret")} />
        </>
      )}
    </ListForm>
  );
}
