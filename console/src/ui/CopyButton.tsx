// Copies a text. Browsers allow it on safe addresses only; elsewhere there is no button.
import { useState } from "react";
import { useWords } from "../i18n/language";
import { Icon } from "./Icon";

export function CopyButton({ text, label }: { text: string; label: string }) {
  const words = useWords();
  const [copied, setCopied] = useState(false);
  if (!("clipboard" in navigator)) return null;
  async function copy() {
    await navigator.clipboard.writeText(text);
    setCopied(true);
    setTimeout(() => setCopied(false), 1500);
  }
  return (
    <button
      type="button"
      className="button quiet icon small copy-button"
      aria-label={copied ? words.copied : label}
      title={copied ? words.copied : label}
      onClick={() => void copy().catch(() => undefined)}
    >
      <Icon name={copied ? "check" : "copy"} />
    </button>
  );
}
