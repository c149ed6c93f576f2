// What went wrong, what is loading, what is not there.
import type { ReactNode } from "react";
import type { Problem } from "../api/http";
import { useWords } from "../i18n/language";

export function ProblemNotice({ problem, onRetry }: { problem: Problem | null; onRetry?: () => void }) {
  const words = useWords();
  if (!problem) return null;
  return (
    <div className="notice bad" role="alert">
      <Told code={problem.code} detail={problem.detail || problem.title} />
      {onRetry && (
        <button type="button" className="button small" onClick={onRetry}>
          {words.again}
        </button>
      )}
    </div>
  );
}

/** A failure in the reader's words where there are some, and then as the server told it, which is English. */
export function Told({ code, detail }: { code: string; detail: string }) {
  const words = useWords();
  if (code === "unreachable") return <span className="grow">{words.unreachable}</span>;
  const own = words.problems[code];
  if (!own) return <span className="grow">{detail}</span>;
  return (
    <span className="grow">
      {own}
      {detail && (
        <span className="told-detail" lang="en">
          {detail}
        </span>
      )}
    </span>
  );
}

export function Loading() {
  const words = useWords();
  return (
    <div className="row nothing loading" role="status">
      <span className="spinner" aria-hidden="true" />
      <span>{words.loading}</span>
    </div>
  );
}

export function Nothing({ children }: { children: ReactNode }) {
  return <p className="nothing">{children}</p>;
}
