// The models.
import { count } from "../i18n/format";
import { useWords } from "../i18n/language";
import { Row } from "../ui/Table";
import { change, list, remove, type Model } from "./api";
import { List } from "./List";
import { ModelForm } from "./ModelForm";
import { RowButtons } from "./RowButtons";

const SHOWN = ["vision", "tools", "reasoning"] as const;

export function Models() {
  const words = useWords().infra;
  return (
    <List<Model>
      name="models"
      title={words.models}
      intro={words.modelsIntro}
      read={signal => list<Model>("models", signal)}
      heads={[words.model, words.category, { shown: words.window, number: true }, words.abilities]}
      row={(each, reload) => (
        <Row
          key={each.id}
          off={!each.enabled}
          cells={[
            <>
              <strong>{`${each.vendor}/${each.name}`}</strong>
              {each.version && <div className="muted note">{each.version}</div>}
            </>,
            words.categories[each.category] ?? each.category,
            count(each.context_window),
            <span className="row tags">
              {SHOWN.filter(ability => each.abilities[ability]).map(ability => (
                <span key={ability} className="tag">
                  {words[ability]}
                </span>
              ))}
            </span>,
            <RowButtons
              name={`${each.vendor}/${each.name}`}
              form={onDone => <ModelForm model={each} onDone={onDone} />}
              enabled={each.enabled}
              onToggle={() => change("models", each.id, { enabled: !each.enabled })}
              onRemove={() => remove("models", each.id)}
              onDone={reload}
            />,
          ]}
        />
      )}
      form={onDone => <ModelForm onDone={onDone} />}
    />
  );
}
