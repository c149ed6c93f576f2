// A model: made, or changed.
import { useState } from "react";
import { useWords } from "../i18n/language";
import { CheckField, ChoiceField, TextField } from "../ui/Field";
import { change, make, type Model } from "./api";
import { ListForm } from "./List";
import { VendorField } from "./VendorField";

export function ModelForm({ model, onDone }: { model?: Model; onDone: () => void }) {
  const words = useWords().infra;
  const [vendor, setVendor] = useState("");
  const [name, setName] = useState("");
  const [category, setCategory] = useState(model?.category ?? "text");
  const [window, setWindow] = useState(String(model?.context_window ?? 131_072));
  const [able, setAble] = useState({
    vision: model?.abilities.vision ?? false,
    tools: model?.abilities.tools ?? true,
    reasoning: model?.abilities.reasoning ?? false,
  });
  const abilities = { ...model?.abilities, ...able };
  const shared = { category, context_window: Number(window), abilities };
  const save = () => (model ? change("models", model.id, shared) : make("models", { vendor, name, ...shared }));
  return (
    <ListForm fields={["vendor", "name", "context_window"]} onSave={save} onDone={onDone}>
      {problem => (
        <>
          {!model && (
            <div className="fields">
              <VendorField value={vendor} onChange={setVendor} wrong={problem?.of("vendor")} />
              <TextField
                label={words.model}
                hint={words.modelHint}
                value={name}
                onChange={setName}
                wrong={problem?.of("name")}
              />
            </div>
          )}
          <div className="fields">
            <ChoiceField
              label={words.category}
              value={category}
              onChange={setCategory}
              choices={Object.entries(words.categories)}
            />
            <TextField
              type="number"
              label={words.window}
              hint={words.windowHint}
              value={window}
              onChange={setWindow}
              wrong={problem?.of("context_window")}
            />
          </div>
          <div className="row">
            {(["vision", "tools", "reasoning"] as const).map(each => (
              <CheckField
                key={each}
                label={words[each]}
                checked={able[each]}
                onChange={yes => setAble(before => ({ ...before, [each]: yes }))}
              />
            ))}
          </div>
        </>
      )}
    </ListForm>
  );
}
