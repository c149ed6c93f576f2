// What a call was sent, block by block.
import { calls, context, type CallLine } from "../api/calls";
import { useLoaded } from "../api/useLoaded";
import { go } from "../app/route";
import { clockTime, count, percent } from "../i18n/format";
import { useWords } from "../i18n/language";
import { ChoiceField } from "../ui/Field";
import { Loading, Nothing, ProblemNotice } from "../ui/Notices";
import { Blocks } from "./Blocks";
import { CacheNote } from "./CacheNote";
import { Diff } from "./Diff";
import { Proportions } from "./Proportions";
import "./context.css";

interface Props {
  sessionId: string;
  callId: string | null;
  settled: number;
}

function callTitle(call: CallLine): string {
  return `${clockTime(call.started_at)} · ${call.purpose} · ${count(call.input_tokens)}`;
}

export function Inspector({ sessionId, callId, settled }: Props) {
  const words = useWords();
  const made = useLoaded(`calls/${sessionId}/${settled}`, signal => calls({ session_id: sessionId }, signal));
  const current = callId ?? made.value?.items[0]?.id ?? null;
  const sent = useLoaded(current ? `context/${current}` : null, signal => context(current!, signal));
  if (made.problem) return <ProblemNotice problem={made.problem} onRetry={made.reload} />;
  if (!made.value) return <Loading />;
  if (current === null) return <Nothing>{words.context.nothing}</Nothing>;
  const choices = made.value.items.map(each => [each.id, callTitle(each)] as const);
  const here = location.hash.split("?")[0]!;
  return (
    <>
      <ChoiceField
        label={words.context.call}
        value={current}
        choices={choices.some(([id]) => id === current) ? choices : [[current, current.slice(0, 8)], ...choices]}
        onChange={id => go(`${here}?call=${id}`, "replace")}
      />
      <ProblemNotice problem={sent.problem} onRetry={sent.reload} />
      {sent.loading && !sent.value && <Loading />}
      {sent.value && (
        <>
          <p className="muted">
            {words.context.summary(
              sent.value.recipe,
              count(sent.value.total),
              percent(sent.value.cache.expected_share, 1),
            )}
          </p>
          <Proportions blocks={sent.value.blocks} />
          <CacheNote cache={sent.value.cache} />
          <Blocks blocks={sent.value.blocks} />
          {sent.value.cache.compared_with && <Diff callId={current} />}
        </>
      )}
    </>
  );
}
