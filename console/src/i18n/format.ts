// Figures and times, written as the reader's language writes them.
import { language } from "./language";

export function count(value: number): string {
  return new Intl.NumberFormat(language()).format(value);
}

export function percent(part: number, whole: number): string {
  const share = whole > 0 ? part / whole : 0;
  return new Intl.NumberFormat(language(), { style: "percent", maximumFractionDigits: share < 0.1 ? 1 : 0 }).format(
    share,
  );
}

/** An amount as the ledger has it: text, exact to the last digit that says something. */
export function money(amount: string, currency: string): string {
  const value = Number(amount);
  const digits = value === 0 ? 2 : Math.min(12, Math.max(2, 2 - Math.floor(Math.log10(Math.abs(value)))));
  return new Intl.NumberFormat(language(), {
    style: "currency",
    currency,
    currencyDisplay: "narrowSymbol",
    minimumFractionDigits: 2,
    maximumFractionDigits: Math.abs(value) >= 1 ? 2 : digits,
  }).format(value);
}

export function duration(milliseconds: number): string {
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`;
  const seconds = milliseconds / 1000;
  return seconds < 60 ? `${seconds.toFixed(seconds < 10 ? 2 : 1)} s` : `${(seconds / 60).toFixed(1)} min`;
}

export function dateTime(iso: string): string {
  return new Intl.DateTimeFormat(language(), { dateStyle: "medium", timeStyle: "short" }).format(new Date(iso));
}

export function clockTime(iso: string): string {
  return new Intl.DateTimeFormat(language(), { timeStyle: "medium" }).format(new Date(iso));
}

export function day(iso: string): string {
  return new Intl.DateTimeFormat(language(), { month: "short", day: "numeric", timeZone: "UTC" }).format(
    new Date(`${iso}T00:00:00Z`),
  );
}

/** The day where the reader is, as `2026-11-20`. */
export function localDay(date: Date): string {
  return new Intl.DateTimeFormat("sv-SE").format(date);
}

const STEPS: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
];

export function ago(iso: string): string {
  const past = Date.parse(iso) - Date.now();
  const format = new Intl.RelativeTimeFormat(language(), { numeric: "auto", style: "short" });
  for (const [unit, size] of STEPS) {
    if (Math.abs(past) >= size) return format.format(Math.round(past / size), unit);
  }
  return format.format(0, "minute");
}
