// When and where somebody was born; an empty date takes all of it away.
import { useState } from "react";
import type { Problem } from "../api/http";
import { useWords } from "../i18n/language";
import { CheckField, ChoiceField, TextField } from "../ui/Field";
import { changeProfile, type Birth } from "./api";
import { Section } from "./Section";

interface Draft {
  date: string;
  time: string;
  calendar: string;
  leapMonth: boolean;
  gender: string;
  place: string;
  latitude: string;
  longitude: string;
  timezone: string;
}

const FIELDS = [
  "date",
  "time",
  "calendar",
  "gender",
  "place.name",
  "place.latitude",
  "place.longitude",
  "place.timezone",
];
const at = (name: string) => `birth_info.${name}`;

export function BirthForm({ birth }: { birth: Birth | null }) {
  const words = useWords().profile;
  const [draft, setDraft] = useState(() => draftOf(birth));
  const set = (name: keyof Draft) => (value: string) => setDraft(before => ({ ...before, [name]: value }));
  return (
    <Section
      title={words.birth}
      hint={words.birthHint}
      fields={FIELDS.map(at)}
      onSave={async () => {
        const wanted = birthOf(draft);
        if (wanted !== null) await changeProfile({ birth_info: null }); // a merge would keep what is left out now
        await changeProfile({ birth_info: wanted });
      }}
    >
      {problem => (
        <>
          <div className="fields">
            <TextField
              type="date"
              label={words.date}
              value={draft.date}
              onChange={set("date")}
              wrong={problem?.of(at("date"))}
            />
            <TextField
              type="time"
              label={words.time}
              hint={words.timeHint}
              value={draft.time}
              onChange={set("time")}
              wrong={problem?.of(at("time"))}
            />
            <ChoiceField
              label={words.calendar}
              value={draft.calendar}
              onChange={set("calendar")}
              choices={[
                ["solar", words.solar],
                ["lunar", words.lunar],
              ]}
            />
            <ChoiceField
              label={words.gender}
              value={draft.gender}
              onChange={set("gender")}
              choices={Object.entries(words.genders)}
            />
          </div>
          {draft.calendar === "lunar" && (
            <CheckField
              label={words.leapMonth}
              checked={draft.leapMonth}
              onChange={leapMonth => setDraft(before => ({ ...before, leapMonth }))}
            />
          )}
          <PlaceFields draft={draft} set={set} problem={problem} />
        </>
      )}
    </Section>
  );
}

interface PlaceProps {
  draft: Draft;
  set: (name: keyof Draft) => (value: string) => void;
  problem: Problem | null;
}

function PlaceFields({ draft, set, problem }: PlaceProps) {
  const words = useWords().profile;
  const field = (label: string, name: keyof Draft, path: string) => (
    <TextField label={label} value={String(draft[name])} onChange={set(name)} wrong={problem?.of(at(path))} />
  );
  return (
    <div className="fields">
      {field(words.place, "place", "place.name")}
      {field(words.latitude, "latitude", "place.latitude")}
      {field(words.longitude, "longitude", "place.longitude")}
      {field(words.timezone, "timezone", "place.timezone")}
    </div>
  );
}

function draftOf(birth: Birth | null): Draft {
  return {
    date: birth?.date ?? "",
    time: birth?.time ?? "",
    calendar: birth?.calendar ?? "solar",
    leapMonth: birth?.leap_month ?? false,
    gender: birth?.gender ?? "",
    place: birth?.place?.name ?? "",
    latitude: birth?.place ? String(birth.place.latitude) : "",
    longitude: birth?.place ? String(birth.place.longitude) : "",
    timezone: birth?.place?.timezone ?? "",
  };
}

function birthOf(draft: Draft): Record<string, unknown> | null {
  if (draft.date === "") return null;
  const { date, calendar } = draft;
  const place = {
    name: draft.place,
    latitude: numberOf(draft.latitude),
    longitude: numberOf(draft.longitude),
    timezone: draft.timezone,
  };
  return {
    date,
    calendar,
    ...(draft.time && { time: draft.time }),
    ...(calendar === "lunar" && draft.leapMonth && { leap_month: true }),
    ...(draft.gender && { gender: draft.gender }),
    ...(draft.place && { place }),
  };
}

/** What is no number goes as it is, so that the server can say what is wrong with it. */
function numberOf(text: string): number | string {
  return text.trim() !== "" && Number.isFinite(Number(text)) ? Number(text) : text;
}
