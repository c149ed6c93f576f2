// One thing that a run did.
import { hrefOfCall } from "../app/route";
import { count, duration, money, percent } from "../i18n/format";
import { useWords } from "../i18n/language";
import type { CallFigures, RunItem } from "./items";

export function TimelineRow({ item, begin, span }: { item: RunItem; begin: number; span: number }) {
  const words = useWords();
  const left = ((item.start - begin) / span) * 100;
  const width = (((item.end ?? begin + span) - item.start) / span) * 100;
  const lasts = item.kind !== "action" && item.kind !== "skill";
  const took = item.end === null ? words.run.underWay : duration(item.end - item.start);
  return (
    <li className={`timeline-row of-${item.kind}`}>
      <div className="timeline-name">
        <span className="timeline-kind">{words.run.kinds[item.kind]}</span>
        <span>
          <strong>{item.kind === "stage" ? (words.run.stages[item.name] ?? item.name) : item.name}</strong>
          {item.status && item.status !== "succeeded" && (
            <span className="tag warn">{words.run.statuses[item.status] ?? item.status}</span>
          )}
        </span>
        <span className="number muted timeline-took">{lasts && took}</span>
      </div>
      {lasts && (
        <div className="timeline-track" aria-hidden="true">
          <span
            className={item.end === null ? "timeline-bar open" : "timeline-bar"}
            style={{ left: `min(${left}%, 100% - 4px)`, width: `max(4px, ${Math.min(width, 100 - left)}%)` }}
          />
        </div>
      )}
      {item.detail && item.kind !== "call" && <p className="muted timeline-detail">{item.detail}</p>}
      {item.call && <CallLine call={item.call} />}
    </li>
  );
}

function CallLine({ call }: { call: CallFigures }) {
  const words = useWords();
  return (
    <p className="timeline-detail number">
      {call.purpose} · {count(call.input)} → {count(call.output)} ·{" "}
      {words.run.cachedOf(percent(call.cached, call.input))} ·{" "}
      {call.cost === null ? words.unpriced : money(call.cost, call.currency)}
      {call.firstTokenMs !== null && <> · {words.run.firstAfter(duration(call.firstTokenMs))}</>}{" "}
      <a href={hrefOfCall(call.callId)}>{words.run.whatWasSent}</a>
    </p>
  );
}
