// Something a button does: whether it is under way, and what came in its way.
import { useState } from "react";
import type { Problem } from "../api/http";
import { asProblem } from "../api/useLoaded";

export interface Action {
  busy: boolean;
  problem: Problem | null;
  run: (work: () => Promise<unknown>) => Promise<boolean>;
}

export function useAction(): Action {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  async function run(work: () => Promise<unknown>): Promise<boolean> {
    setBusy(true);
    setProblem(null);
    try {
      await work();
      return true;
    } catch (error) {
      setProblem(asProblem(error));
      return false;
    } finally {
      setBusy(false);
    }
  }
  return { busy, problem, run };
}
