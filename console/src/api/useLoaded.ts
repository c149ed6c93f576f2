// Something read from the server for as long as a component shows it.
import { useCallback, useEffect, useState } from "react";
import { Problem } from "./http";

export interface Loaded<T> {
  value: T | null;
  problem: Problem | null;
  loading: boolean;
  reload: () => void;
}

/** Read again whenever `key` changes or `reload` is called; an answer that comes too late is not heard. */
export function useLoaded<T>(key: string | null, read: (signal: AbortSignal) => Promise<T>): Loaded<T> {
  const [round, setRound] = useState(0);
  const [state, setState] = useState<{
    key: string | null;
    value: T | null;
    problem: Problem | null;
    loading: boolean;
  }>({
    key,
    value: null,
    problem: null,
    loading: key !== null,
  });
  useEffect(() => {
    if (key === null) return;
    const abort = new AbortController();
    setState(before => ({ ...before, key, value: before.key === key ? before.value : null, loading: true }));
    read(abort.signal).then(
      value => !abort.signal.aborted && setState({ key, value, problem: null, loading: false }),
      error => !abort.signal.aborted && setState(before => ({ ...before, problem: asProblem(error), loading: false })),
    );
    return () => abort.abort();
    // `read` is made anew at each render; what it reads is named by `key`
  }, [key, round]);
  const reload = useCallback(() => setRound(before => before + 1), []);
  return { value: state.key === key ? state.value : null, problem: state.problem, loading: state.loading, reload };
}

export function asProblem(error: unknown): Problem {
  return error instanceof Problem ? error : new Problem(0, "unexpected", "", String(error));
}
