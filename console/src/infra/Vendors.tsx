// The vendors.
import { useState } from "react";
import { useWords } from "../i18n/language";
import { CheckField, ChoiceField, TextField } from "../ui/Field";
import { change, list, make, remove, type Vendor } from "./api";
import { List, ListForm, RowButtons } from "./List";

export function Vendors() {
  const words = useWords().infra;
  return (
    <List<Vendor>
      name="vendors"
      title={words.vendors}
      read={signal => list<Vendor>("vendors", signal)}
      heads={[words.name, words.shown, words.lane]}
      row={(each, reload) => (
        <tr key={each.id} className={each.enabled ? undefined : "off"}>
          <td>
            <strong>{each.name}</strong>
          </td>
          <td>{each.title}</td>
          <td>
            {each.lane} {each.needs_key && <span className="tag">{words.needsKey}</span>}
          </td>
          <td>
            <RowButtons
              name={each.name}
              enabled={each.enabled}
              onToggle={() => change("vendors", each.id, { enabled: !each.enabled })}
              onRemove={() => remove("vendors", each.id)}
              onDone={reload}
            />
          </td>
        </tr>
      )}
      form={onDone => <VendorForm onDone={onDone} />}
    />
  );
}

const LANES = [
  ["openai_compatible", "openai_compatible"],
  ["litellm", "litellm"],
] as const;

function VendorForm({ onDone }: { onDone: () => void }) {
  const words = useWords().infra;
  const [name, setName] = useState("");
  const [title, setTitle] = useState("");
  const [lane, setLane] = useState<string>("openai_compatible");
  const [provider, setProvider] = useState("");
  const [needsKey, setNeedsKey] = useState(true);
  const wish = {
    name,
    title: title || name,
    lane,
    needs_key: needsKey,
    ...(provider && { litellm_provider: provider }),
  };
  return (
    <ListForm fields={["name", "title", "litellm_provider"]} onSave={() => make("vendors", wish)} onDone={onDone}>
      {problem => (
        <>
          <TextField
            label={words.name}
            value={name}
            onChange={setName}
            wrong={problem?.of("name")}
            placeholder="deepseek"
          />
          <TextField
            label={words.shown}
            value={title}
            onChange={setTitle}
            wrong={problem?.of("title")}
            placeholder="DeepSeek"
          />
          <ChoiceField label={words.lane} value={lane} onChange={setLane} choices={LANES} />
          {lane === "litellm" && (
            <TextField
              label="LiteLLM provider"
              value={provider}
              onChange={setProvider}
              wrong={problem?.of("litellm_provider")}
            />
          )}
          <CheckField label={words.needsKey} checked={needsKey} onChange={setNeedsKey} />
        </>
      )}
    </ListForm>
  );
}
