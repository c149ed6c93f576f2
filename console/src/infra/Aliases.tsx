// The names that callers use, each with the models that stand behind it.
import { useState } from "react";
import { useWords } from "../i18n/language";
import { Dialog } from "../ui/Dialog";
import { TextField } from "../ui/Field";
import { list, removeAlias, setAlias, type Alias } from "./api";
import { List, ListForm, RowButtons } from "./List";

export function Aliases() {
  const words = useWords().infra;
  return (
    <List<Alias>
      name="aliases"
      title={words.aliases}
      read={signal => list<Alias>("aliases", signal)}
      heads={[words.alias, words.aliasModels]}
      row={(each, reload) => <AliasRow key={each.name} alias={each} reload={reload} />}
      form={onDone => <AliasForm onDone={onDone} />}
    />
  );
}

function AliasRow({ alias, reload }: { alias: Alias; reload: () => void }) {
  const words = useWords();
  const [editing, setEditing] = useState(false);
  return (
    <tr>
      <td>
        <strong>{alias.name}</strong>
      </td>
      <td>{alias.models.join(" → ")}</td>
      <td>
        <div className="row row-buttons">
          <button type="button" className="button quiet small" onClick={() => setEditing(true)}>
            {words.edit}
          </button>
          <RowButtons name={alias.name} onRemove={() => removeAlias(alias.name)} onDone={reload} />
        </div>
        {editing && (
          <Dialog title={alias.name} onClose={() => setEditing(false)}>
            <AliasForm
              alias={alias}
              onDone={() => {
                setEditing(false);
                reload();
              }}
            />
          </Dialog>
        )}
      </td>
    </tr>
  );
}

function AliasForm({ alias, onDone }: { alias?: Alias; onDone: () => void }) {
  const words = useWords().infra;
  const [name, setName] = useState(alias?.name ?? "");
  const [models, setModels] = useState(alias?.models.join("\n") ?? "");
  const lines = models
    .split("\n")
    .map(each => each.trim())
    .filter(Boolean);
  return (
    <ListForm fields={["name", "models"]} onSave={() => setAlias(name, lines)} onDone={onDone}>
      {problem => (
        <>
          {!alias && (
            <TextField
              label={words.alias}
              value={name}
              onChange={setName}
              wrong={problem?.of("name")}
              placeholder="default"
            />
          )}
          <TextField
            label={words.aliasModels}
            hint={words.aliasHint}
            rows={4}
            value={models}
            onChange={setModels}
            wrong={problem?.of("models")}
          />
        </>
      )}
    </ListForm>
  );
}
