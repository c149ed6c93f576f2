// One entry of a conversation.
import { memo } from "react";
import type { Attachment } from "../api/sessions";
import { hrefOfCall } from "../app/route";
import { count, money } from "../i18n/format";
import { useWords } from "../i18n/language";
import { Markdown } from "../markdown/Markdown";
import { CopyButton } from "../ui/CopyButton";
import type { AnswerEntry, Entry, ReasoningEntry, Usage, UserEntry } from "./entries";
import { SkillChip } from "./SkillChip";
import { StoredPicture } from "./StoredPicture";
import { ToolCall } from "./ToolCall";

interface Props {
  entry: Entry;
  pointed: boolean; // whether somebody was led here by a figure
}

export const EntryView = memo(function EntryView({ entry, pointed }: Props) {
  switch (entry.kind) {
    case "user":
      return <UserText entry={entry} />;
    case "answer":
      return <Answer entry={entry} pointed={pointed} />;
    case "reasoning":
      return <Reasoning entry={entry} />;
    case "skill":
      return <SkillChip skill={entry.skill} />;
    case "tool":
      return <ToolCall entry={entry} pointed={pointed} />;
  }
});

function UserText({ entry }: { entry: UserEntry }) {
  const words = useWords();
  const pictures = entry.attachments.filter(isPicture);
  const files = entry.attachments.filter(each => !isPicture(each));
  return (
    <article className="entry user" aria-label={words.chat.you} data-entry={entry.id}>
      {entry.images.length + pictures.length > 0 && (
        <div className="pictures">
          {entry.images.map((url, index) => (
            <img key={index} src={url} alt={words.chat.picture(index + 1)} />
          ))}
          {pictures.map((each, index) => (
            <StoredPicture key={each.path} attachment={each} alt={words.chat.picture(index + 1)} />
          ))}
        </div>
      )}
      {files.map(each => (
        <span key={each.path} className="tag">
          {each.name}
        </span>
      ))}
      {entry.text && <p className="bubble">{entry.text}</p>}
    </article>
  );
}

function isPicture(attachment: Attachment): boolean {
  return attachment.media_type.startsWith("image/");
}

function Answer({ entry, pointed }: { entry: AnswerEntry; pointed: boolean }) {
  const words = useWords();
  const marks = [entry.open && "open", pointed && "pointed"].filter(Boolean).join(" ");
  return (
    <article className={`entry answer ${marks}`} aria-label={words.chat.assistant} data-entry={entry.id}>
      <Markdown text={entry.text} />
      {entry.incomplete && <p className="tag warn">{words.chat.incomplete}</p>}
      {!entry.open && (
        <div className="answer-foot">
          {entry.usage?.callId && <AnswerUsage usage={entry.usage} callId={entry.usage.callId} />}
          <CopyButton text={entry.text} label={words.chat.copyAnswer} />
        </div>
      )}
    </article>
  );
}

function AnswerUsage({ usage, callId }: { usage: Usage; callId: string }) {
  const words = useWords();
  const cost = usage.cost === null ? words.unpriced : money(usage.cost, usage.currency);
  return (
    <a className="usage-line number" href={hrefOfCall(callId)}>
      {words.chat.usage(count(usage.input), count(usage.cached), count(usage.output), cost)}
    </a>
  );
}

function Reasoning({ entry }: { entry: ReasoningEntry }) {
  const words = useWords();
  return (
    <details className="entry reasoning" data-entry={entry.id}>
      <summary>{entry.open ? words.chat.reasoningNow : words.chat.reasoning}</summary>
      <Markdown text={entry.text} />
    </details>
  );
}
