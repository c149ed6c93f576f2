// Light, dark, or as the system has it.
import { useSyncExternalStore } from "react";

export type Theme = "auto" | "light" | "dark";
const KEY = "weft.theme";
const listeners = new Set<() => void>();

function read(): Theme {
  const chosen = localStorage.getItem(KEY);
  return chosen === "light" || chosen === "dark" ? chosen : "auto";
}

export function setTheme(theme: Theme): void {
  localStorage.setItem(KEY, theme);
  if (theme === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  listeners.forEach(tell => tell());
}

export function useTheme(): Theme {
  return useSyncExternalStore(tell => {
    listeners.add(tell);
    return () => listeners.delete(tell);
  }, read);
}
