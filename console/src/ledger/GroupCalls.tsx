// The calls behind a figure, each with the conversation and the message that it was made for.
import { calls, type CallLine } from "../api/calls";
import { useLoaded } from "../api/useLoaded";
import { href } from "../app/route";
import { count, dateTime, money } from "../i18n/format";
import { useWords } from "../i18n/language";
import { Icon } from "../ui/Icon";
import { Loading, Nothing, ProblemNotice } from "../ui/Notices";
import type { Group } from "./Ledger";
import { knownSessions, type Known } from "./knownSessions";

interface Props {
  by: Group;
  of: string;
  since: string | null;
  days: string;
}

const MOST = 400;

export function GroupCalls({ by, of, since, days }: Props) {
  const words = useWords();
  const found = useLoaded(`${by}/${of}/${days}`, async signal => {
    const known = await knownSessions(signal);
    return { lines: await callsOf(by, of, since, known, signal), known };
  });
  const name = found.value?.known.get(of)?.title ?? of ?? words.ledger.outside;
  return (
    <section className="stack" aria-label={name}>
      <p>
        <a href={href("ledger", null, { days })} className="row">
          <Icon name="left" />
          {words.ledger.back}
        </a>
      </p>
      <h2>{name || words.ledger.outside}</h2>
      <ProblemNotice problem={found.problem} onRetry={found.reload} />
      {found.loading && !found.value && <Loading />}
      {found.value?.lines.length === 0 && <Nothing>{words.ledger.nothing}</Nothing>}
      {found.value && found.value.lines.length > 0 && <CallTable lines={found.value.lines} known={found.value.known} />}
      {found.value && found.value.lines.length >= MOST && <p className="muted">{words.ledger.truncated}</p>}
    </section>
  );
}

function CallTable({ lines, known }: { lines: readonly CallLine[]; known: Known }) {
  const words = useWords();
  return (
    <div className="table-wrap">
      <table>
        <thead>
          <tr>
            <th>{words.ledger.message}</th>
            <th>{words.infra.model}</th>
            <th className="number">{words.ledger.input}</th>
            <th className="number">{words.ledger.cached}</th>
            <th className="number">{words.ledger.output}</th>
            <th className="number">{words.ledger.cost}</th>
          </tr>
        </thead>
        <tbody>
          {lines.map(each => (
            <tr key={each.id}>
              <td>
                {each.session_id ? (
                  <a href={href("chat", each.session_id, { call: each.id })}>
                    {known.get(each.session_id)?.title ?? words.ledger.openChat}
                  </a>
                ) : (
                  words.ledger.outside
                )}
                <div className="muted note">
                  {dateTime(each.started_at)} · {each.purpose}
                </div>
              </td>
              <td>
                {each.model}
                <div className="muted note">{each.key}</div>
              </td>
              <td className="number">{count(each.input_tokens)}</td>
              <td className="number">{count(each.cached_input_tokens)}</td>
              <td className="number">{count(each.output_tokens)}</td>
              <td className="number">{each.cost === null ? words.unpriced : money(each.cost, each.currency)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** The newest calls of a group; those of a conversation are asked for, the others are picked out of all. */
async function callsOf(
  by: Group,
  of: string,
  since: string | null,
  known: Known,
  signal: AbortSignal,
): Promise<CallLine[]> {
  const lines: CallLine[] = [];
  let cursor: string | undefined;
  do {
    const next = await calls({ session_id: by === "session" && of ? of : undefined, cursor }, signal);
    const recent = next.items.filter(each => since === null || each.started_at >= since);
    lines.push(...recent.filter(each => belongs(each, by, of, known)));
    cursor = recent.length < next.items.length ? undefined : (next.next_cursor ?? undefined);
  } while (cursor && lines.length < MOST);
  return lines;
}

function belongs(call: CallLine, by: Group, of: string, known: Known): boolean {
  switch (by) {
    case "session":
      return (call.session_id ?? "") === of;
    case "model":
      return call.model === of;
    case "key":
      return call.key === of;
    case "day":
      return new Intl.DateTimeFormat("sv-SE").format(new Date(call.started_at)) === of;
    case "user":
      return call.session_id !== null && known.get(call.session_id)?.user_id === of;
  }
}
