// Calls of the public HTTP surface. What the console can do, any front end can do the same way.
import { language, words } from "../i18n/language";

export interface FieldProblem {
  field: string;
  detail: string;
}

/** RFC 9457 problem details, as something to throw. */
export class Problem extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    readonly title: string,
    readonly detail: string,
    readonly field: string | null = null,
    readonly errors: readonly FieldProblem[] = [],
    readonly retryAfter: number | null = null,
  ) {
    super(detail || title);
  }

  /** What is wrong with one field, if this problem says so. */
  of(field: string): string | undefined {
    const found = this.errors.find(each => each.field === field);
    const detail = found?.detail ?? (this.field === field ? this.detail : undefined);
    if (detail === undefined) return undefined;
    const bare = detail.startsWith(`${field}: `) ? detail.slice(field.length + 2) : detail; // it stands at the field
    return [words().problems[this.code], bare].filter(Boolean).join(" ");
  }

  get isOffline(): boolean {
    return this.status === 0;
  }
}

const whenSignedOut = new Set<() => void>();

/** Be told when the server no longer knows who is calling. */
export function onSignedOut(tell: () => void): () => void {
  whenSignedOut.add(tell);
  return () => whenSignedOut.delete(tell);
}

export async function send(path: string, options: RequestInit = {}): Promise<Response> {
  const headers = new Headers(options.headers);
  headers.set("Accept-Language", language());
  let response: Response;
  try {
    response = await fetch(path, { ...options, headers, credentials: "same-origin" });
  } catch (error) {
    if (options.signal?.aborted) throw error;
    throw new Problem(0, "unreachable", "", "");
  }
  if (response.ok) return response;
  const problem = await problemOf(response);
  if (problem.status === 401) whenSignedOut.forEach(tell => tell());
  throw problem;
}

async function problemOf(response: Response): Promise<Problem> {
  const wait = response.headers.get("Retry-After");
  const body: Partial<Problem> = await response.json().catch(() => ({}));
  return new Problem(
    response.status,
    body.code ?? "error",
    body.title ?? response.statusText,
    body.detail ?? "",
    body.field ?? null,
    body.errors ?? [],
    wait === null ? null : Number(wait),
  );
}

export async function get<T>(path: string, signal?: AbortSignal): Promise<T> {
  return (await send(path, { signal })).json() as Promise<T>;
}

export async function write<T>(method: "POST" | "PUT" | "PATCH" | "DELETE", path: string, body?: unknown): Promise<T> {
  const options: RequestInit = { method };
  if (body !== undefined) {
    options.body = JSON.stringify(body);
    options.headers = { "Content-Type": "application/json" };
  }
  const response = await send(path, options);
  return (response.status === 204 ? undefined : await response.json()) as T;
}
