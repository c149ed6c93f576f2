// All skills, as whoever looks has them.
import { useState } from "react";
import { useLoaded } from "../api/useLoaded";
import { href } from "../app/route";
import { useWords } from "../i18n/language";
import { TextField } from "../ui/Field";
import { Loading, Nothing, ProblemNotice } from "../ui/Notices";
import { skills, type Skill } from "./api";

export function Catalogue() {
  const words = useWords();
  const [filter, setFilter] = useState("");
  const list = useLoaded("skills", skills);
  if (list.problem) return <ProblemNotice problem={list.problem} onRetry={list.reload} />;
  if (!list.value) return <Loading />;
  const wanted = filter.trim().toLowerCase();
  const found = list.value.filter(each => `${each.name} ${each.description}`.toLowerCase().includes(wanted));
  return (
    <>
      <TextField label={words.skills.filter} value={filter} onChange={setFilter} />
      {found.length === 0 && <Nothing>{words.skills.nothing}</Nothing>}
      <ul className="skill-grid">
        {found.map(each => (
          <SkillCard key={`${each.name}${each.level}${each.state}`} skill={each} />
        ))}
      </ul>
    </>
  );
}

function SkillCard({ skill }: { skill: Skill }) {
  const words = useWords();
  return (
    <li className="card skill-card">
      <h2>
        <a href={href("skills", skill.name)}>{skill.name}</a>
      </h2>
      <SkillTags skill={skill} />
      <p>{skill.description}</p>
      {skill.missing.length > 0 && <p className="notice warn">{words.skills.missing(skill.missing.join(", "))}</p>}
    </li>
  );
}

export function SkillTags({ skill }: { skill: Skill }) {
  const words = useWords();
  return (
    <div className="row skill-tags">
      <span className="tag">{words.skills.levels[skill.level] ?? skill.level}</span>
      {skill.state !== "available" && (
        <span className={skill.state === "broken" ? "tag bad" : "tag warn"}>{words.skills.states[skill.state]}</span>
      )}
      {skill.always && <span className="tag accent">{words.skills.always}</span>}
      {skill.requires_birth_info && <span className="tag">{words.skills.needsBirth}</span>}
      {skill.compute_type && <span className="tag">{words.skills.computes(skill.compute_type)}</span>}
    </div>
  );
}
