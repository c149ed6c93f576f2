// What the vendor's cache should have known, and what it says it knew.
import type { Context } from "../api/calls";
import { count } from "../i18n/format";
import { useWords } from "../i18n/language";

export function CacheNote({ cache }: { cache: Context["cache"] }) {
  const words = useWords();
  const reported = cache.reported_tokens === null ? words.context.notReported : count(cache.reported_tokens);
  return (
    <>
      <p className="number">{words.context.cache(count(cache.expected_tokens), reported)}</p>
      {cache.changed && (
        <p className={cache.collapsed ? "notice warn" : "notice"}>
          <span className="grow">
            {words.context.brokeAt} <code>{cache.changed}</code>
            {cache.why && <> · {words.context.whys[cache.why]}</>}
            {cache.lost_tokens > 0 && <> · {words.context.lost(count(cache.lost_tokens))}</>}
          </span>
        </p>
      )}
      {cache.alarms.map(alarm => (
        <p key={alarm.code} className="notice bad">
          <span className="grow">{alarm.detail}</span>
        </p>
      ))}
    </>
  );
}
