// Name, languages, time zone, country; the server says at the field what is wrong.
import { useState } from "react";
import { useWords } from "../i18n/language";
import { TextField } from "../ui/Field";
import { changeProfile, type Preferences, type Profile } from "./api";
import { Section } from "./Section";

const LANGUAGES = ["zh-CN", "zh-TW", "en-US", "en-GB", "ja-JP", "ko-KR", "fr-FR", "de-DE", "es-ES"];
const ZONES = typeof Intl.supportedValuesOf === "function" ? Intl.supportedValuesOf("timeZone") : [];
const PATH = "settings.preferences";
const FIELDS = [
  "username",
  "bio",
  ...["interface_language", "ai_language", "timezone", "country"].map(each => `${PATH}.${each}`),
];

export function SettingsForm({ profile }: { profile: Profile }) {
  const words = useWords().profile;
  const [username, setUsername] = useState(profile.username);
  const [bio, setBio] = useState(profile.bio ?? "");
  const [chosen, setChosen] = useState<Preferences>(profile.settings.preferences);
  const set = (name: keyof Preferences) => (value: string) => setChosen(before => ({ ...before, [name]: value }));
  const save = () => changeProfile({ username, bio: bio.trim() || null, settings: { preferences: chosen } });
  return (
    <Section title={words.settings} fields={FIELDS} onSave={save}>
      {problem => (
        <>
          <div className="fields">
            <TextField label={words.username} value={username} onChange={setUsername} wrong={problem?.of("username")} />
            <TextField
              label={words.aiLanguage}
              value={chosen.ai_language}
              onChange={set("ai_language")}
              list={LANGUAGES}
              wrong={problem?.of(`${PATH}.ai_language`)}
            />
            <TextField
              label={words.interfaceLanguage}
              value={chosen.interface_language}
              onChange={set("interface_language")}
              list={LANGUAGES}
              wrong={problem?.of(`${PATH}.interface_language`)}
            />
            <TextField
              label={words.timezone}
              value={chosen.timezone}
              onChange={set("timezone")}
              list={ZONES}
              wrong={problem?.of(`${PATH}.timezone`)}
            />
            <TextField
              label={words.country}
              hint={words.countryHint}
              value={chosen.country}
              onChange={set("country")}
              wrong={problem?.of(`${PATH}.country`)}
            />
          </div>
          <TextField
            label={words.bio}
            hint={words.bioHint}
            rows={3}
            value={bio}
            onChange={setBio}
            wrong={problem?.of("bio")}
          />
        </>
      )}
    </Section>
  );
}
