// What went wrong, what is loading, what is not there.
import type { ReactNode } from "react";
import type { Problem } from "../api/http";
import { useWords } from "../i18n/language";

export function ProblemNotice({ problem, onRetry }: { problem: Problem | null; onRetry?: () => void }) {
  const words = useWords();
  if (!problem) return null;
  return (
    <div className="notice bad" role="alert">
      <span className="grow">{problem.isOffline ? words.unreachable : problem.detail || problem.title}</span>
      {onRetry && (
        <button type="button" className="button small" onClick={onRetry}>
          {words.again}
        </button>
      )}
    </div>
  );
}

export function Loading() {
  const words = useWords();
  return (
    <div className="row nothing" role="status" style={{ justifyContent: "center" }}>
      <span className="spinner" aria-hidden="true" />
      <span>{words.loading}</span>
    </div>
  );
}

export function Nothing({ children }: { children: ReactNode }) {
  return <p className="nothing">{children}</p>;
}
