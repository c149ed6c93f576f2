// The calls behind a figure, each with the conversation and the message that it was made for.
import { useState } from "react";
import { calls, type CallFilter, type CallLine } from "../api/calls";
import { useLoaded } from "../api/useLoaded";
import { href } from "../app/route";
import { count, dateTime, day, money } from "../i18n/format";
import { useWords } from "../i18n/language";
import { Icon } from "../ui/Icon";
import { Loading, Nothing, ProblemNotice } from "../ui/Notices";
import { Row, Table } from "../ui/Table";
import type { Group } from "./Ledger";
import { knownSessions, type Known } from "./knownSessions";

interface Props {
  by: Group;
  of: string;
  since: string | null;
  days: string;
}

export function GroupCalls({ by, of, since, days }: Props) {
  const words = useWords();
  const [pages, setPages] = useState(1);
  const found = useLoaded(`${by}/${of}/${days}/${pages}`, async signal => {
    const [known, listed] = await Promise.all([knownSessions(signal), callsOf(filterOf(by, of, since), pages, signal)]);
    return { known, ...listed };
  });
  const name = titleOf(by, of, found.value?.known) ?? words.ledger.outside;
  return (
    <section className="stack" aria-label={name}>
      <a href={href("ledger", null, { days })} className="row back">
        <Icon name="left" />
        {words.ledger.back}
      </a>
      <h2>
        <span className="muted">{words.ledger.groups[by]}</span> {name}
      </h2>
      <ProblemNotice problem={found.problem} onRetry={found.reload} />
      {found.loading && !found.value && <Loading />}
      {found.value?.lines.length === 0 && <Nothing>{words.ledger.nothing}</Nothing>}
      {found.value && found.value.lines.length > 0 && (
        <CallTable label={name} lines={found.value.lines} known={found.value.known} />
      )}
      {found.value?.more && (
        <button type="button" className="button more" onClick={() => setPages(pages + 1)}>
          {words.more}
        </button>
      )}
    </section>
  );
}

function titleOf(by: Group, of: string, known?: Known): string | null {
  if (by === "day") return day(of);
  return (by === "session" ? known?.get(of)?.title : null) ?? (of || null);
}

function CallTable({ label, lines, known }: { label: string; lines: readonly CallLine[]; known: Known }) {
  const words = useWords();
  const figures = [words.ledger.input, words.ledger.cached, words.ledger.output, words.ledger.cost];
  return (
    <Table
      label={label}
      heads={[words.ledger.message, words.infra.model, ...figures.map(shown => ({ shown, number: true }))]}
    >
      {lines.map(each => (
        <Row
          key={each.id}
          cells={[
            <>
              <CallLink call={each} known={known} />
              <div className="muted note">
                {dateTime(each.started_at)} · {each.purpose}
              </div>
            </>,
            <>
              {each.model}
              <div className="muted note">{each.key}</div>
            </>,
            count(each.input_tokens),
            count(each.cached_input_tokens),
            count(each.output_tokens),
            each.cost === null ? words.unpriced : money(each.cost, each.currency),
          ]}
        />
      ))}
    </Table>
  );
}

/** To the message that the call was made for. */
function CallLink({ call, known }: { call: CallLine; known: Known }) {
  const words = useWords().ledger;
  const { session_id } = call;
  if (!session_id) return words.outside;
  const title = known.get(session_id)?.title ?? words.untitledSession(session_id.slice(-8));
  return <a href={href("chat", session_id, { call: call.id })}>{title}</a>;
}

function filterOf(by: Group, of: string, since: string | null): CallFilter {
  const from = since ?? undefined;
  switch (by) {
    case "session":
      return of ? { session_id: of, since: from } : { since: from, session_id: "none" };
    case "user":
      return { user_id: of, since: from };
    case "day":
      return dayOf(of);
    default:
      return { [by]: of, since: from };
  }
}

/** A day where the reader is. */
function dayOf(name: string): CallFilter {
  const [year, month, date] = name.split("-").map(Number) as [number, number, number];
  const at = (more: number) => new Date(year, month - 1, date + more).toISOString();
  return { since: at(0), until: at(1) };
}

async function callsOf(filter: CallFilter, pages: number, signal: AbortSignal) {
  const lines: CallLine[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < pages; page++) {
    const next = await calls({ ...filter, cursor }, signal);
    lines.push(...next.items);
    cursor = next.next_cursor ?? undefined;
    if (!cursor) break;
  }
  return { lines, more: cursor !== undefined };
}
