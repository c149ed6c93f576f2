// The vendors.
import { useState } from "react";
import { useWords } from "../i18n/language";
import { CheckField, ChoiceField, TextField } from "../ui/Field";
import { Row } from "../ui/Table";
import { change, list, make, remove, type Vendor } from "./api";
import { List, ListForm } from "./List";
import { RowButtons } from "./RowButtons";

export function Vendors() {
  const words = useWords().infra;
  return (
    <List<Vendor>
      name="vendors"
      title={words.vendors}
      intro={words.vendorsIntro}
      read={signal => list<Vendor>("vendors", signal)}
      heads={[words.name, words.shown, words.lane]}
      row={(each, reload) => (
        <Row
          key={each.id}
          off={!each.enabled}
          cells={[
            <strong>{each.name}</strong>,
            each.title,
            <span className="row">
              {words.lanes[each.lane]} {each.needs_key && <span className="tag">{words.needsKey}</span>}
            </span>,
            <RowButtons
              name={each.name}
              form={onDone => <VendorForm vendor={each} onDone={onDone} />}
              enabled={each.enabled}
              onToggle={() => change("vendors", each.id, { enabled: !each.enabled })}
              onRemove={() => remove("vendors", each.id)}
              onDone={reload}
            />,
          ]}
        />
      )}
      form={onDone => <VendorForm onDone={onDone} />}
    />
  );
}

function VendorForm({ vendor, onDone }: { vendor?: Vendor; onDone: () => void }) {
  const words = useWords().infra;
  const [name, setName] = useState("");
  const [title, setTitle] = useState(vendor?.title ?? "");
  const [lane, setLane] = useState<string>(vendor?.lane ?? "openai_compatible");
  const [provider, setProvider] = useState(vendor?.litellm_provider ?? "");
  const [needsKey, setNeedsKey] = useState(vendor?.needs_key ?? true);
  const shared = { title: title || name, needs_key: needsKey, ...(provider && { litellm_provider: provider }) };
  const save = () => (vendor ? change("vendors", vendor.id, shared) : make("vendors", { name, lane, ...shared }));
  return (
    <ListForm fields={["name", "title", "litellm_provider"]} onSave={save} onDone={onDone}>
      {problem => (
        <>
          {!vendor && (
            <TextField
              label={words.name}
              value={name}
              onChange={setName}
              wrong={problem?.of("name")}
              placeholder="deepseek"
            />
          )}
          <TextField
            label={words.shown}
            value={title}
            onChange={setTitle}
            wrong={problem?.of("title")}
            placeholder="DeepSeek"
          />
          {!vendor && (
            <ChoiceField
              label={words.lane}
              value={lane}
              onChange={setLane}
              choices={(["openai_compatible", "litellm"] as const).map(each => [each, words.lanes[each]] as const)}
            />
          )}
          {lane === "litellm" && (
            <TextField
              label={words.litellmProvider}
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
