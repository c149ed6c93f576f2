// Who uses the console: asked once at start, and again when the server no longer knows.
import { createContext, useContext } from "react";
import { get, Problem, send, write } from "../api/http";

export interface Session {
  /** A user with a profile and conversations of their own; an operator signed in by key is none. */
  isUser: boolean;
  isOperator: boolean;
  /** Signed in by key, and able to sign out. */
  bySignIn: boolean;
}

export const SessionContext = createContext<Session>({ isUser: true, isOperator: true, bySignIn: false });

export function useSession(): Session {
  return useContext(SessionContext);
}

export type Entry = "unknown" | "signed out" | "unreachable" | Session;

/** Who the server takes us for, told by what it lets us read. */
export async function whoAmI(): Promise<Entry> {
  const [profile, runsInfra] = await Promise.all([status("/api/profile"), status("/api/infra/aliases?limit=1")]);
  if (profile === 0) return "unreachable";
  if (profile === 401) return "signed out";
  const isOperator = runsInfra === 200 || profile === 403;
  return { isUser: profile === 200, isOperator, bySignIn: profile === 403 };
}

async function status(path: string): Promise<number> {
  try {
    return (await send(path)).status;
  } catch (error) {
    return error instanceof Problem ? error.status : 0;
  }
}

export async function signIn(key: string): Promise<void> {
  await write("POST", "/api/operator/session", { key });
}

export async function signOut(): Promise<void> {
  await write("DELETE", "/api/operator/session");
}

export function health(): Promise<{ version: string }> {
  return get("/healthz");
}
