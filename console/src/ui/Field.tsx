// A labelled field with its hint and what is wrong with it.
import { useId, type ReactElement, type ReactNode } from "react";

export interface FieldAria {
  id: string;
  "aria-describedby": string | undefined;
  "aria-invalid": boolean | undefined;
}

interface Props {
  label: string;
  hint?: ReactNode;
  wrong?: string | null;
  children: (aria: FieldAria) => ReactElement;
}

export function Field({ label, hint, wrong, children }: Props) {
  const id = useId();
  const told = wrong || hint ? `${id}-told` : undefined;
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {children({ id, "aria-describedby": told, "aria-invalid": wrong ? true : undefined })}
      {wrong ? (
        <span id={told} className="wrong" role="alert">
          {wrong}
        </span>
      ) : (
        hint && (
          <span id={told} className="hint">
            {hint}
          </span>
        )
      )}
    </div>
  );
}

interface TextProps {
  label: string;
  value: string;
  onChange: (value: string) => void;
  hint?: ReactNode;
  wrong?: string | null;
  placeholder?: string;
  type?: "text" | "password" | "number" | "date" | "time";
  list?: readonly string[];
  required?: boolean;
  rows?: number;
}

export function TextField({ label, value, onChange, hint, wrong, rows, list, type = "text", ...more }: TextProps) {
  const listId = useId();
  const shared = { className: "input", value, autoComplete: "off", ...more };
  return (
    <Field label={label} hint={hint} wrong={wrong}>
      {aria =>
        rows ? (
          <textarea
            {...aria}
            {...shared}
            className={rows === 1 ? "input grows" : "input"}
            rows={rows}
            onChange={event => onChange(event.target.value)}
          />
        ) : (
          <>
            <input
              {...aria}
              {...shared}
              type={type}
              step={type === "number" ? "any" : undefined}
              list={list ? listId : undefined}
              onChange={event => onChange(event.target.value)}
            />
            {list && (
              <datalist id={listId}>
                {list.map(each => (
                  <option key={each} value={each} />
                ))}
              </datalist>
            )}
          </>
        )
      }
    </Field>
  );
}

interface ChoiceProps {
  label: string;
  value: string;
  onChange: (value: string) => void;
  choices: readonly (readonly [value: string, shown: string])[];
  placeholder?: string; // shown while nothing is chosen
  hint?: ReactNode;
  wrong?: string | null;
}

export function ChoiceField({ label, value, onChange, choices, placeholder, hint, wrong }: ChoiceProps) {
  return (
    <Field label={label} hint={hint} wrong={wrong}>
      {aria => (
        <select {...aria} className="input" value={value} onChange={event => onChange(event.target.value)}>
          {placeholder && (
            <option value="" disabled>
              {placeholder}
            </option>
          )}
          {choices.map(([each, shown]) => (
            <option key={each} value={each}>
              {shown}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

export function CheckField({
  label,
  checked,
  onChange,
}: {
  label: string;
  checked: boolean;
  onChange: (yes: boolean) => void;
}) {
  return (
    <label className="check">
      <input type="checkbox" checked={checked} onChange={event => onChange(event.target.checked)} />
      <span>{label}</span>
    </label>
  );
}
