// Language and brightness.
import { setLanguage, useLanguage, useWords } from "../i18n/language";
import { Icon, type IconName } from "../ui/Icon";
import { setTheme, useTheme, type Theme } from "./theme";

const NEXT: Record<Theme, Theme> = { auto: "light", light: "dark", dark: "auto" };
const ICONS: Record<Theme, IconName> = { auto: "auto", light: "sun", dark: "moon" };

export function Preferences() {
  const words = useWords();
  const language = useLanguage();
  const theme = useTheme();
  const other = language === "en" ? "zh-CN" : "en";
  return (
    <div className="preferences">
      <button type="button" className="button quiet small" lang={other} onClick={() => setLanguage(other)}>
        {other === "en" ? "English" : "中文"}
      </button>
      <button
        type="button"
        className="button quiet icon small"
        aria-label={words.theme(words.themes[theme])}
        title={words.theme(words.themes[theme])}
        onClick={() => setTheme(NEXT[theme])}
      >
        <Icon name={ICONS[theme]} />
      </button>
    </div>
  );
}
