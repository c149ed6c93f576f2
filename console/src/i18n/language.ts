// Which language the console speaks: the browser's, until somebody switches.
import { useSyncExternalStore } from "react";
import { en, type Words } from "./en";
import { zh } from "./zh";

export type Language = "en" | "zh-CN";
const KEY = "weft.language";
const listeners = new Set<() => void>();
let current: Language = initial();

function initial(): Language {
  const chosen = localStorage.getItem(KEY);
  if (chosen === "en" || chosen === "zh-CN") return chosen;
  return /^zh/i.test(navigator.language) ? "zh-CN" : "en";
}

export function setLanguage(language: Language): void {
  current = language;
  localStorage.setItem(KEY, language);
  document.documentElement.lang = language;
  listeners.forEach(tell => tell());
}

function subscribe(tell: () => void): () => void {
  listeners.add(tell);
  return () => listeners.delete(tell);
}

export function language(): Language {
  return current;
}

export function useLanguage(): Language {
  return useSyncExternalStore(subscribe, language);
}

export function words(): Words {
  return current === "zh-CN" ? zh : en;
}

export function useWords(): Words {
  useLanguage();
  return words();
}
