// Where somebody stands in life.
import { useState } from "react";
import { useWords } from "../i18n/language";
import { TextField } from "../ui/Field";
import { changeProfile, type Life } from "./api";
import { Section } from "./Section";

const SHORT = ["occupation", "industry", "stage"] as const;
const LONG = ["goals", "concerns"] as const;

export function LifeForm({ life }: { life: Life | null }) {
  const words = useWords().profile;
  const [draft, setDraft] = useState<Record<string, string>>(() =>
    Object.fromEntries([
      ...SHORT.map(name => [name, life?.[name] ?? ""]),
      ...LONG.map(name => [name, (life?.[name] ?? []).join("\n")]),
    ]),
  );
  const set = (name: string) => (value: string) => setDraft(before => ({ ...before, [name]: value }));
  const save = () => changeProfile({ life_context: lifeOf(draft) });
  return (
    <Section title={words.life} fields={[...SHORT, ...LONG].map(each => `life_context.${each}`)} onSave={save}>
      {problem => (
        <>
          <div className="fields">
            {SHORT.map(name => (
              <TextField
                key={name}
                label={words[name]}
                value={draft[name] ?? ""}
                onChange={set(name)}
                wrong={problem?.of(`life_context.${name}`)}
              />
            ))}
          </div>
          <div className="fields">
            {LONG.map(name => (
              <TextField
                key={name}
                label={words[name]}
                hint={words.oneEach}
                rows={3}
                value={draft[name] ?? ""}
                onChange={set(name)}
                wrong={problem?.of(`life_context.${name}`)}
              />
            ))}
          </div>
        </>
      )}
    </Section>
  );
}

/** Empty fields are removed. */
function lifeOf(draft: Record<string, string>): Record<string, unknown> {
  const lines = (text: string) =>
    text
      .split("\n")
      .map(each => each.trim())
      .filter(Boolean);
  return Object.fromEntries([
    ...SHORT.map(name => [name, draft[name]?.trim() || null]),
    ...LONG.map(name => {
      const found = lines(draft[name] ?? "");
      return [name, found.length > 0 ? found : null];
    }),
  ]);
}
