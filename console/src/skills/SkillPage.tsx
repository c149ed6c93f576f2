// One skill, with all that it says.
import { useLoaded } from "../api/useLoaded";
import { href } from "../app/route";
import { useSession } from "../app/session";
import { count, dateTime } from "../i18n/format";
import { useWords } from "../i18n/language";
import { Markdown } from "../markdown/Markdown";
import { Icon } from "../ui/Icon";
import { Loading, ProblemNotice } from "../ui/Notices";
import { history, skill, type SkillDetail } from "./api";
import { SkillTags } from "./Catalogue";
import { Findings } from "./Findings";

export function SkillPage({ name }: { name: string }) {
  const words = useWords();
  const found = useLoaded(`skill/${name}`, signal => skill(name, signal));
  return (
    <>
      <a href={href("skills")} className="row back">
        <Icon name="left" />
        {words.skills.back}
      </a>
      <ProblemNotice problem={found.problem} onRetry={found.reload} />
      {found.loading && !found.value && <Loading />}
      {found.value && <Detail skill={found.value} />}
    </>
  );
}

function Detail({ skill }: { skill: SkillDetail }) {
  const words = useWords();
  const { isOperator, isUser } = useSession();
  return (
    <>
      <header className="stack">
        <div className="row apart">
          <h1>{skill.name}</h1>
          {isUser && skill.state === "available" && !skill.always && skill.name !== "core" && (
            <a className="button primary" href={href("chat", null, { skill: skill.name })}>
              <Icon name="chat" />
              {words.skills.talk}
            </a>
          )}
        </div>
        <SkillTags skill={skill} />
        <p>{skill.description}</p>
      </header>
      {skill.profile_fields.length > 0 && (
        <p className="muted">
          {words.skills.reads}: <code>{skill.profile_fields.join(", ")}</code>
        </p>
      )}
      <Findings findings={skill.findings} />
      <section className="card stack" aria-label={words.skills.body}>
        <h2>{words.skills.body}</h2>
        <Markdown text={skill.body} />
      </section>
      {skill.resources.length > 0 && (
        <section className="stack">
          <h2>{words.skills.files}</h2>
          <ul className="files">
            {skill.resources.map(each => (
              <li key={each.path}>
                <code>{each.path}</code> <span className="muted number">{count(each.size)} B</span>
              </li>
            ))}
          </ul>
        </section>
      )}
      {isOperator && <Versions name={skill.name} />}
    </>
  );
}

function Versions({ name }: { name: string }) {
  const words = useWords();
  const versions = useLoaded(`versions/${name}`, signal => history(name, signal));
  if (!versions.value || versions.value.items.length === 0) return null;
  return (
    <section className="stack">
      <h2>{words.skills.versions}</h2>
      <ul className="files">
        {versions.value.items.map(each => (
          <li key={each.number}>
            <strong>{words.skills.version(each.number)}</strong> {dateTime(each.created_at)} · {each.made_by}{" "}
            {each.reason}
          </li>
        ))}
      </ul>
    </section>
  );
}
