// What a strict check found in a skill.
import { useWords } from "../i18n/language";
import type { Finding } from "./api";

export function Findings({ findings }: { findings: readonly Finding[] }) {
  const words = useWords();
  if (findings.length === 0) return null;
  return (
    <ul className="stack findings" aria-label={words.skills.findings}>
      {findings.map((each, index) => (
        <li key={index} className={each.severity === "error" ? "notice bad" : "notice warn"}>
          <span className="grow">
            <code>
              {each.file}
              {each.line > 0 && `:${each.line}`}
            </code>{" "}
            {each.message}
          </span>
        </li>
      ))}
    </ul>
  );
}
