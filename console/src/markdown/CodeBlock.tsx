// A block of code, with a button that copies it.
import { useWords } from "../i18n/language";
import { CopyButton } from "../ui/CopyButton";

export function CodeBlock({ text, language }: { text: string; language: string }) {
  const words = useWords();
  return (
    <figure className="code-block">
      <figcaption>
        <span>{language}</span>
        <CopyButton text={text} label={words.copy} />
      </figcaption>
      <pre tabIndex={0}>
        <code>{text}</code>
      </pre>
    </figure>
  );
}
