// The names that callers use, each with the models that stand behind it.
import { useState } from "react";
import { useWords } from "../i18n/language";
import { TextField } from "../ui/Field";
import { Row } from "../ui/Table";
import { list, removeAlias, setAlias, type Alias } from "./api";
import { List, ListForm } from "./List";
import { RowButtons } from "./RowButtons";

export function Aliases() {
  const words = useWords().infra;
  return (
    <List<Alias>
      name="aliases"
      title={words.aliases}
      intro={words.aliasesIntro}
      read={signal => list<Alias>("aliases", signal)}
      heads={[words.alias, words.aliasModels]}
      row={(each, reload) => (
        <Row
          key={each.name}
          cells={[
            <strong>{each.name}</strong>,
            <ol className="chain">
              {each.models.map(model => (
                <li key={model}>{model}</li>
              ))}
            </ol>,
            <RowButtons
              name={each.name}
              form={onDone => <AliasForm alias={each} onDone={onDone} />}
              onRemove={() => removeAlias(each.name)}
              onDone={reload}
            />,
          ]}
        />
      )}
      form={onDone => <AliasForm onDone={onDone} />}
    />
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
