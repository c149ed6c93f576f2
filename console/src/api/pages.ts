// Lists come page by page.
import { get } from "./http";

export interface Page<T> {
  items: T[];
  next_cursor?: string | null;
}

/** One page of a list; `query` may hold filters and the cursor. */
export function page<T>(
  path: string,
  query: Record<string, string | undefined>,
  signal?: AbortSignal,
): Promise<Page<T>> {
  const words = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) words.set(name, value);
  const tail = words.toString();
  return get<Page<T>>(tail ? `${path}?${tail}` : path, signal);
}

/** All of a list that is known to be short. */
export async function all<T>(path: string, signal?: AbortSignal): Promise<T[]> {
  const items: T[] = [];
  let cursor: string | undefined;
  do {
    const next: Page<T> = await page<T>(path, { limit: "100", cursor }, signal);
    items.push(...next.items);
    cursor = next.next_cursor ?? undefined;
  } while (cursor);
  return items;
}
