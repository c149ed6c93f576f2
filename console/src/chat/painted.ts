// A state that components look at: changes are shown at once, or, where they come thick and fast, once a frame.

export class Painted<State extends object> {
  private listeners = new Set<() => void>();
  private scheduled = false;
  private shown: State;

  constructor(protected state: State) {
    this.shown = state;
  }

  subscribe = (tell: () => void): (() => void) => {
    this.listeners.add(tell);
    return () => this.listeners.delete(tell);
  };

  snapshot = (): State => this.shown;

  protected set(change: Partial<State>, when: "now" | "next frame" = "now"): void {
    this.state = { ...this.state, ...change };
    if (when === "now") {
      this.show();
    } else if (!this.scheduled) {
      this.scheduled = true;
      // no frames are painted in a hidden tab, and its text must grow all the same
      if (document.hidden) setTimeout(() => this.show(), 50);
      else requestAnimationFrame(() => this.show());
    }
  }

  private show(): void {
    this.scheduled = false;
    if (this.shown === this.state) return;
    this.shown = this.state;
    this.listeners.forEach(tell => tell());
  }
}
