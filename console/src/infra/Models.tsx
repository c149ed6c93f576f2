// The models.
import { useState } from "react";
import { count } from "../i18n/format";
import { useWords } from "../i18n/language";
import { CheckField, ChoiceField, TextField } from "../ui/Field";
import { change, list, make, remove, type Model } from "./api";
import { List, ListForm, RowButtons } from "./List";
import { VendorField } from "./VendorField";

const CATEGORIES = ["text", "reasoning", "embedding", "multimodal", "text_to_image", "text_to_video", "speech"];

export function Models() {
  const words = useWords().infra;
  return (
    <List<Model>
      name="models"
      title={words.models}
      read={signal => list<Model>("models", signal)}
      heads={[words.vendor, words.model, words.category, words.window, words.abilities]}
      row={(each, reload) => (
        <tr key={each.id} className={each.enabled ? undefined : "off"}>
          <td>{each.vendor}</td>
          <td>
            <strong>{each.name}</strong>
            {each.version && <div className="muted note">{each.version}</div>}
          </td>
          <td>{each.category}</td>
          <td className="number">{count(each.context_window)}</td>
          <td>
            <span className="row">
              {(["vision", "tools", "reasoning"] as const).map(
                ability =>
                  each.abilities[ability] && (
                    <span key={ability} className="tag">
                      {words[ability]}
                    </span>
                  ),
              )}
            </span>
          </td>
          <td>
            <RowButtons
              name={`${each.vendor}/${each.name}`}
              enabled={each.enabled}
              onToggle={() => change("models", each.id, { enabled: !each.enabled })}
              onRemove={() => remove("models", each.id)}
              onDone={reload}
            />
          </td>
        </tr>
      )}
      form={onDone => <ModelForm onDone={onDone} />}
    />
  );
}

function ModelForm({ onDone }: { onDone: () => void }) {
  const words = useWords().infra;
  const [vendor, setVendor] = useState("");
  const [name, setName] = useState("");
  const [category, setCategory] = useState("text");
  const [window, setWindow] = useState("131072");
  const [vision, setVision] = useState(false);
  const [tools, setTools] = useState(true);
  const wish = { vendor, name, category, context_window: Number(window), abilities: { vision, tools } };
  return (
    <ListForm fields={["vendor", "name", "context_window"]} onSave={() => make("models", wish)} onDone={onDone}>
      {problem => (
        <>
          <VendorField value={vendor} onChange={setVendor} wrong={problem?.of("vendor")} />
          <TextField
            label={words.model}
            hint={words.modelHint}
            value={name}
            onChange={setName}
            wrong={problem?.of("name")}
          />
          <ChoiceField
            label={words.category}
            value={category}
            onChange={setCategory}
            choices={CATEGORIES.map(each => [each, each])}
          />
          <TextField
            type="number"
            label={words.window}
            value={window}
            onChange={setWindow}
            wrong={problem?.of("context_window")}
          />
          <CheckField label={words.vision} checked={vision} onChange={setVision} />
          <CheckField label={words.tools} checked={tools} onChange={setTools} />
        </>
      )}
    </ListForm>
  );
}
