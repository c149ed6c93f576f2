// A skill was taken on, or left.
import { href } from "../app/route";
import { useWords } from "../i18n/language";
import { Icon } from "../ui/Icon";

export function SkillChip({ skill }: { skill: string | null }) {
  const words = useWords();
  const left = skill === null || skill === "core";
  return (
    <div className="entry skill-chip" role="status">
      <Icon name="skills" />
      {left ? (
        words.chat.skillLeft
      ) : (
        <span>
          {words.chat.skillActive} <a href={href("skills", skill)}>{skill}</a>
        </span>
      )}
    </div>
  );
}
