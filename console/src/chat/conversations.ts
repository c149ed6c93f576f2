// The list of conversations beside the chat.
import { sessions, type Session } from "../api/sessions";
import { asProblem } from "../api/useLoaded";
import type { Problem } from "../api/http";
import { Painted } from "./painted";

export interface IndexState {
  items: readonly Session[];
  more: string | null;
  loaded: boolean;
  problem: Problem | null;
}

class ConversationIndex extends Painted<IndexState> {
  constructor() {
    super({ items: [], more: null, loaded: false, problem: null });
  }

  /** The newest conversations, read anew. */
  async reload(): Promise<void> {
    try {
      const page = await sessions(undefined);
      const shown = new Set(page.items.map(each => each.id));
      const older = this.state.items.filter(each => !shown.has(each.id));
      const keepsOlder = page.next_cursor && older.length > 0;
      this.set({
        items: keepsOlder ? [...page.items, ...older] : page.items,
        more: keepsOlder ? this.state.more : (page.next_cursor ?? null),
        loaded: true,
        problem: null,
      });
    } catch (error) {
      this.set({ loaded: true, problem: asProblem(error) });
    }
  }

  async loadMore(): Promise<void> {
    if (this.state.more === null) return;
    const page = await sessions(this.state.more);
    this.set({ items: [...this.state.items, ...page.items], more: page.next_cursor ?? null });
  }

  drop(id: string): void {
    this.set({ items: this.state.items.filter(each => each.id !== id) });
  }
}

export const conversations = new ConversationIndex();
