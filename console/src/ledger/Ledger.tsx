// What calls came to: sums first, then by day, conversation, model and key; every figure leads to its calls.
import { usage, type GroupBy, type UsageReport } from "../api/calls";
import { useLoaded } from "../api/useLoaded";
import { go, href } from "../app/route";
import { useSession } from "../app/session";
import { useWords } from "../i18n/language";
import { ChoiceField } from "../ui/Field";
import { Loading, Nothing, ProblemNotice } from "../ui/Notices";
import { DayPlot } from "./DayPlot";
import { GroupCalls } from "./GroupCalls";
import { GroupTable } from "./GroupTable";
import { knownSessions } from "./knownSessions";
import { Sums } from "./Sums";
import "./ledger.css";

const PERIODS = ["7", "30", "90", "all"] as const;
export const ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;
export type Group = Exclude<GroupBy, "total" | "turn">;

export function Ledger({ query }: { query: URLSearchParams }) {
  const words = useWords();
  const period = PERIODS.find(each => each === query.get("days")) ?? "30";
  const by = query.get("by") as Group | null;
  const of = query.get("of");
  return (
    <div className="page">
      <div className="inner">
        <header className="page-head">
          <div>
            <h1>{words.ledger.title}</h1>
            <p>{words.ledger.intro}</p>
          </div>
          <ChoiceField
            label={words.ledger.period}
            value={period}
            choices={PERIODS.map(each => [each, words.ledger.periods[each]])}
            onChange={days => go(href("ledger", null, { ...(by && of !== null && { by, of }), days }), "replace")}
          />
        </header>
        {by && of !== null ? (
          <GroupCalls by={by} of={of} since={sinceOf(period)} days={period} />
        ) : (
          <Overview period={period} />
        )}
      </div>
    </div>
  );
}

/** The start of the day so many days ago, as this machine's clock has it. */
function sinceOf(period: (typeof PERIODS)[number]): string | null {
  if (period === "all") return null;
  const start = new Date();
  start.setHours(0, 0, 0, 0);
  start.setDate(start.getDate() - Number(period) + 1);
  return start.toISOString();
}

function Overview({ period }: { period: (typeof PERIODS)[number] }) {
  const words = useWords();
  const { isUser } = useSession();
  const groups: Group[] = isUser ? ["session", "model", "key"] : ["session", "user", "model", "key"];
  const reports = useLoaded(`usage/${period}`, async signal => {
    const asked = (["total", "day", ...groups] as GroupBy[]).map(by => usage(by, sinceOf(period), ZONE, signal));
    return { reports: await Promise.all(asked), known: await knownSessions(signal) };
  });
  if (reports.problem) return <ProblemNotice problem={reports.problem} onRetry={reports.reload} />;
  if (!reports.value) return <Loading />;
  const [total, days, ...rest] = reports.value.reports as [UsageReport, UsageReport, ...UsageReport[]];
  if (total.totals.length === 0) return <Nothing>{words.ledger.nothing}</Nothing>;
  return (
    <>
      <Sums totals={total.totals} />
      <DayPlot totals={days.totals} period={period} />
      {rest.map(report => (
        <GroupTable
          key={report.by}
          report={report}
          by={report.by as Group}
          known={reports.value!.known}
          days={period}
        />
      ))}
    </>
  );
}
