// A vendor key: stored, or its limits changed and the key replaced; what is stored is never shown.
import { useState } from "react";
import { useWords } from "../i18n/language";
import { TextField } from "../ui/Field";
import { change, make, type Key } from "./api";
import { ListForm } from "./List";
import { VendorField } from "./VendorField";

const LIMITS = ["requests_per_minute", "requests_per_day", "tokens_per_day", "money_per_day"] as const;

export function KeyForm({ known, onDone }: { known?: Key; onDone: () => void }) {
  const words = useWords().infra;
  const [vendor, setVendor] = useState("");
  const [name, setName] = useState("main");
  const [secret, setSecret] = useState("");
  const [limits, setLimits] = useState<Record<string, string>>(() =>
    Object.fromEntries(LIMITS.map(each => [each, String(known?.[each] ?? "")])),
  );
  const currency = limits.money_per_day ? (known?.money_currency ?? "CNY") : null;
  const given = {
    ...Object.fromEntries(LIMITS.map(each => [each, limits[each] || null])),
    money_currency: currency,
  };
  const save = () =>
    known
      ? change("keys", known.id, { ...given, ...(secret && { secret }) })
      : make("keys", { vendor, name, secret, ...given });
  return (
    <ListForm fields={["vendor", "name", "secret", ...LIMITS]} onSave={save} onDone={onDone}>
      {problem => (
        <>
          {!known && (
            <div className="fields">
              <VendorField value={vendor} onChange={setVendor} wrong={problem?.of("vendor")} />
              <TextField label={words.name} value={name} onChange={setName} wrong={problem?.of("name")} />
            </div>
          )}
          <SecretField
            replaces={known !== undefined}
            value={secret}
            onChange={setSecret}
            wrong={problem?.of("secret")}
          />
          <div className="fields">
            {LIMITS.map(each => (
              <TextField
                key={each}
                type="number"
                label={words.limitNames[each]}
                hint={words.noLimit}
                value={limits[each] ?? ""}
                onChange={value => setLimits(before => ({ ...before, [each]: value }))}
                wrong={problem?.of(each)}
              />
            ))}
          </div>
        </>
      )}
    </ListForm>
  );
}

interface SecretProps {
  value: string;
  onChange: (value: string) => void;
  wrong?: string | null;
  replaces?: boolean;
}

export function SecretField({ replaces = false, ...field }: SecretProps) {
  const words = useWords().infra;
  return (
    <TextField
      type="password"
      label={replaces ? words.newKey : words.key}
      hint={replaces ? words.newKeyHint : words.keyHint}
      {...field}
    />
  );
}
