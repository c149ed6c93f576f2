// A block of code, with a button that copies it.
import { useState } from "react";
import { useWords } from "../i18n/language";
import { Icon } from "../ui/Icon";

export function CodeBlock({ text, language }: { text: string; language: string }) {
  const words = useWords();
  const [copied, setCopied] = useState(false);
  async function copy() {
    await navigator.clipboard.writeText(text);
    setCopied(true);
    setTimeout(() => setCopied(false), 1500);
  }
  return (
    <figure className="code-block">
      <figcaption>
        <span>{language}</span>
        <button type="button" className="button quiet icon small" onClick={copy} aria-label={words.copy}>
          <Icon name={copied ? "check" : "copy"} />
        </button>
      </figcaption>
      <pre tabIndex={0}>
        <code>{text}</code>
      </pre>
    </figure>
  );
}
