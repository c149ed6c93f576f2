// A form made from a JSON schema: fields where a schema says what they hold, JSON where it does not.
import { useState, type FormEvent } from "react";
import { useWords } from "../i18n/language";
import { CheckField, ChoiceField, TextField } from "./Field";
import { complaint, fieldKind, type JsonSchema } from "./schema";

interface Props {
  schema: JsonSchema;
  value: Record<string, unknown>;
  submit: string;
  onSubmit: (value: Record<string, unknown>) => void;
  onCancel: () => void;
}

export function SchemaForm({ schema, value, submit, onSubmit, onCancel }: Props) {
  const words = useWords();
  const [edited, setEdited] = useState(value);
  const [broken, setBroken] = useState<ReadonlySet<string>>(new Set());
  const [tried, setTried] = useState(false);
  const names = [...new Set([...Object.keys(schema.properties ?? {}), ...Object.keys(value)])];
  const complaints = new Map(names.map(name => [name, wrongWith(name)]));

  function wrongWith(name: string): string | null {
    if (broken.has(name)) return words.form.json;
    const found = complaint(schema.properties?.[name] ?? {}, edited[name], schema.required?.includes(name) ?? false);
    return found && words.form[found];
  }

  function change(name: string, next: unknown, sound: boolean) {
    setEdited(before => ({ ...before, [name]: next }));
    setBroken(before => new Set(sound ? [...before].filter(each => each !== name) : [...before, name]));
  }

  function onFormSubmit(event: FormEvent) {
    event.preventDefault();
    setTried(true);
    if ([...complaints.values()].some(each => each !== null)) return;
    onSubmit(Object.fromEntries(Object.entries(edited).filter(([, each]) => each !== undefined)));
  }

  return (
    <form className="stack" onSubmit={onFormSubmit} noValidate>
      {names.map(name => (
        <SchemaField
          key={name}
          name={name}
          schema={schema.properties?.[name] ?? {}}
          value={edited[name]}
          wrong={tried ? (complaints.get(name) ?? null) : null}
          onChange={(next, sound) => change(name, next, sound)}
        />
      ))}
      <div className="row">
        <button type="submit" className="button primary">
          {submit}
        </button>
        <button type="button" className="button quiet" onClick={onCancel}>
          {words.cancel}
        </button>
      </div>
    </form>
  );
}

interface FieldProps {
  name: string;
  schema: JsonSchema;
  value: unknown;
  wrong: string | null;
  onChange: (value: unknown, sound: boolean) => void;
}

function SchemaField({ name, schema, value, wrong, onChange }: FieldProps) {
  const label = schema.title ?? name;
  const hint = schema.description;
  const kind = fieldKind(schema, value);
  switch (kind) {
    case "choice": {
      const choices = (schema.enum ?? []).map(each => [JSON.stringify(each), String(each)] as const);
      return (
        <ChoiceField
          label={label}
          hint={hint}
          wrong={wrong}
          value={JSON.stringify(value)}
          choices={choices}
          onChange={next => onChange(JSON.parse(next), true)}
        />
      );
    }
    case "yes":
      return <CheckField label={label} checked={value === true} onChange={next => onChange(next, true)} />;
    case "number":
      return (
        <TextField
          type="number"
          label={label}
          hint={hint}
          wrong={wrong}
          value={value === undefined ? "" : String(value)}
          onChange={next => onChange(next === "" ? undefined : Number(next), true)}
        />
      );
    case "lines":
      return <LinesField label={label} hint={hint} wrong={wrong} value={value} onChange={onChange} />;
    case "json":
      return <JsonField label={label} hint={hint} wrong={wrong} value={value} onChange={onChange} />;
    default:
      return (
        <TextField
          label={label}
          hint={hint}
          wrong={wrong}
          rows={kind === "long" ? 6 : 1}
          value={typeof value === "string" ? value : ""}
          onChange={next => onChange(next, true)}
        />
      );
  }
}

type InnerProps = {
  label: string;
  hint?: string;
  wrong: string | null;
  value: unknown;
  onChange: FieldProps["onChange"];
};

function LinesField({ label, hint, wrong, value, onChange }: InnerProps) {
  const words = useWords();
  const lines = Array.isArray(value) ? value.join("\n") : "";
  return (
    <TextField
      label={label}
      hint={hint ?? words.form.lines}
      wrong={wrong}
      rows={4}
      value={lines}
      onChange={next => onChange(next.split("\n"), true)}
    />
  );
}

function JsonField({ label, hint, wrong, value, onChange }: InnerProps) {
  const [text, setText] = useState(() => (value === undefined ? "" : JSON.stringify(value, null, 2)));
  function onText(next: string) {
    setText(next);
    try {
      onChange(next.trim() ? JSON.parse(next) : undefined, true);
    } catch {
      onChange(value, false);
    }
  }
  return <TextField label={label} hint={hint} wrong={wrong} rows={5} value={text} onChange={onText} />;
}
