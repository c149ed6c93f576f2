// A run over time: each stage, action, call and tool as a bar on one scale.
import { useState } from "react";
import { calls } from "../api/calls";
import { runEvents, runs, type Run } from "../api/runs";
import { useLoaded } from "../api/useLoaded";
import { clockTime } from "../i18n/format";
import { useWords } from "../i18n/language";
import { ChoiceField } from "../ui/Field";
import { Loading, Nothing, ProblemNotice } from "../ui/Notices";
import { itemsOf, timed, type RunItem } from "./items";
import { RunSums } from "./RunSums";
import { TimelineRow } from "./TimelineRow";

interface Props {
  sessionId: string;
  live: readonly RunItem[];
  settled: number;
}

export function Timeline({ sessionId, live, settled }: Props) {
  const words = useWords();
  const [chosen, setChosen] = useState<string | null>(null);
  const list = useLoaded(`runs/${sessionId}/${settled}/${live.length > 0}`, signal => runs(sessionId, 50, signal));
  const known = list.value?.items ?? [];
  const current = known.find(each => each.id === chosen) ?? known[0] ?? null;
  const isNewest = current === known[0];
  const stored = useLoaded(current ? `events/${current.id}/${settled}` : null, signal =>
    storedItems(current!.id, signal),
  );
  const items = isNewest && live.length > (stored.value?.length ?? 0) ? live : (stored.value ?? live);
  return (
    <>
      <ProblemNotice problem={list.problem ?? stored.problem} />
      {known.length > 1 && (
        <ChoiceField
          label={words.run.turn}
          value={current?.id ?? ""}
          choices={known.map(each => [each.id, runTitle(each, words.run.turnNumber)])}
          onChange={setChosen}
        />
      )}
      {current?.error_code && (
        <p className="notice bad">
          <span className="grow">
            <code>{current.error_code}</code> {current.error_detail}
          </span>
        </p>
      )}
      {items.length > 0 ? (
        <Chart items={items} />
      ) : list.loading || stored.loading ? (
        <Loading />
      ) : (
        <Nothing>{words.run.nothing}</Nothing>
      )}
    </>
  );
}

/** What a run told, its calls as exact as the ledger has them. */
async function storedItems(runId: string, signal: AbortSignal): Promise<readonly RunItem[]> {
  const [events, made] = await Promise.all([runEvents(runId, signal), calls({ turn_id: runId }, signal)]);
  return timed(itemsOf(events), made.items);
}

function runTitle(run: Run, title: (turn: number) => string): string {
  return `${title(run.turn)} · ${clockTime(run.created_at)}`;
}

function Chart({ items }: { items: readonly RunItem[] }) {
  const words = useWords();
  const begin = Math.min(...items.map(each => each.start));
  const end = Math.max(...items.map(each => each.end ?? each.start), begin + 1);
  return (
    <>
      <RunSums items={items} milliseconds={end - begin} />
      <ol className="timeline" aria-label={words.run.timeline}>
        {items.map(each => (
          <TimelineRow key={`${each.kind}${each.id}`} item={each} begin={begin} span={end - begin} />
        ))}
      </ol>
    </>
  );
}
