// The profile of whoever is here.
import { get, write } from "../api/http";

export interface Preferences {
  interface_language: string;
  ai_language: string;
  timezone: string;
  country: string;
}

export interface Birth {
  date: string;
  time?: string | null;
  calendar: "solar" | "lunar";
  leap_month?: boolean;
  place?: { name: string; latitude: number; longitude: number; timezone: string } | null;
  gender?: string | null;
}

export interface Life {
  occupation?: string | null;
  industry?: string | null;
  stage?: string | null;
  goals?: string[] | null;
  concerns?: string[] | null;
}

export interface Fact {
  fact: string;
  source: string;
  at: string;
  confidence: number;
}

export interface Profile {
  username: string;
  bio: string | null;
  settings: { version: number; preferences: Preferences };
  birth_info: Birth | null;
  life_context: Life | null;
  extracted: Fact[];
  user_tier: string;
}

/** What to change; what is left out stays, and null removes. */
export type ProfileChange = Partial<Record<keyof Profile, unknown>>;

export const profile = (signal?: AbortSignal) => get<Profile>("/api/profile", signal);

export const changeProfile = (change: ProfileChange) => write<Profile>("PATCH", "/api/profile", change);
