// Lines that differ: `-` before, `+` after.

export function DiffText({ lines }: { lines: readonly string[] }) {
  return (
    <pre className="code-text diff" tabIndex={0}>
      {lines.map((line, index) => (
        <span key={index} className={toneOf(line)}>
          {line || " "}
        </span>
      ))}
    </pre>
  );
}

function toneOf(line: string): string | undefined {
  if (line.startsWith("+") && !line.startsWith("+++")) return "added";
  if (line.startsWith("-") && !line.startsWith("---")) return "removed";
  return line.startsWith("@@") ? "place" : undefined;
}
