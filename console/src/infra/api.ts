// Vendors, endpoints, keys, models, prices and aliases.
import { write } from "../api/http";
import { all } from "../api/pages";
import type { Call } from "../api/calls";

export interface Vendor {
  id: string;
  name: string;
  title: string;
  lane: "openai_compatible" | "litellm" | "offline";
  litellm_provider: string | null;
  needs_key: boolean;
  enabled: boolean;
  origin: string;
}

export interface Endpoint {
  id: string;
  vendor: string;
  name: string;
  base_url: string;
  region: string | null;
  category: string | null;
  priority: number;
  enabled: boolean;
}

export interface Key {
  id: string;
  vendor: string;
  name: string;
  endpoint: string | null;
  last_four: string;
  requests_per_minute: number | null;
  requests_per_day: number | null;
  tokens_per_day: number | null;
  money_per_day: string | null;
  money_currency: string | null;
  enabled: boolean;
  today: { requests: number; tokens: number; money: Record<string, string> };
}

export interface Model {
  id: string;
  vendor: string;
  name: string;
  category: string;
  version: string;
  context_window: number;
  max_output: number | null;
  abilities: { vision: boolean; tools: boolean; reasoning: boolean; [more: string]: unknown };
  enabled: boolean;
}

export const RATES = ["input", "cached_input", "output", "cache_write", "per_image", "per_second"] as const;
export type Rate = (typeof RATES)[number];

export interface Price extends Record<Rate, string | null> {
  id: string;
  model: string;
  currency: string;
  valid_from: string;
  source: string;
}

export interface Alias {
  name: string;
  models: string[];
}

export interface Trial {
  answer: string;
  reasoning: string;
  first_token_ms: number | null;
  total_ms: number;
  calls: Call[];
}

export type Kind = "vendors" | "endpoints" | "keys" | "models" | "prices";

export const list = <T>(kind: Kind | "aliases", signal?: AbortSignal) => all<T>(`/api/infra/${kind}`, signal);

export const make = <T>(kind: Kind, wish: unknown) => write<T>("POST", `/api/infra/${kind}`, wish);

export const change = (kind: Kind, id: string, patch: unknown) =>
  write<void>("PATCH", `/api/infra/${kind}/${id}`, patch);

export const remove = (kind: Kind, id: string) => write<void>("DELETE", `/api/infra/${kind}/${id}`);

export const setPrice = (wish: unknown) => write<Price>("PUT", "/api/infra/prices", wish);

export const setAlias = (name: string, models: string[]) =>
  write<Alias>("PUT", `/api/infra/aliases/${encodeURIComponent(name)}`, { models });

export const removeAlias = (name: string) => write<void>("DELETE", `/api/infra/aliases/${encodeURIComponent(name)}`);

export const testCall = (model: string, message?: string) =>
  write<Trial>("POST", "/api/infra/test", { model, ...(message && { message }) });
