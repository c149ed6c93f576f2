// One conversation as this page knows it: what is stored, what is arriving, and what waits for a decision.
import { followRun } from "../agui/connection";
import type { AgUiEvent, RunInput } from "../agui/events";
import { Problem } from "../api/http";
import { cancelRun, pendingApprovals, resumeEntry, runs, type Approval, type Decision } from "../api/runs";
import { messages, session, type Message, type Session } from "../api/sessions";
import { newId } from "../api/ids";
import { asProblem } from "../api/useLoaded";
import { runItems, type RunItem } from "../run/items";
import type { Entry } from "./entries";
import { applied } from "./live";
import { entryOf, inputOf, messageOf, type Outgoing } from "./outgoing";
import { Painted } from "./painted";
import { forget, remember, rememberAccepted, remembered } from "./pending";

const LOOK_AGAIN = 1_500; // how often a run is looked for that another page has begun

export type Phase = "idle" | "running" | "lost" | "waiting" | "stopping";

export interface Failure {
  code: string;
  message: string;
}

export interface ThreadState {
  id: string | null;
  title: string | null;
  skill: string | null;
  rows: readonly Message[];
  older: string | null;
  loading: boolean;
  live: readonly Entry[];
  runId: string | null; // the server's name of the run that is followed
  phase: Phase;
  approvals: readonly Approval[];
  decisions: Readonly<Record<string, Decision>>;
  failure: Failure | null;
  items: readonly RunItem[];
  settled: number; // how many runs have ended while this page looked on
}

const EMPTY: ThreadState = {
  id: null,
  title: null,
  skill: null,
  rows: [],
  older: null,
  loading: false,
  live: [],
  runId: null,
  phase: "idle",
  approvals: [],
  decisions: {},
  failure: null,
  items: [],
  settled: 0,
};

export class Thread extends Painted<ThreadState> {
  private following: AbortController | null = null;
  private lastSent: Outgoing | null = null;

  constructor(
    id: string | null,
    private readonly named: (thread: Thread, id: string) => void,
  ) {
    super({ ...EMPTY, id, loading: id !== null });
    if (id !== null) void this.load(id);
  }

  get busy(): boolean {
    return this.following !== null;
  }

  /** Say something. */
  async say(outgoing: Outgoing): Promise<void> {
    this.lastSent = outgoing;
    const message = messageOf(outgoing);
    const live = this.state.live.filter(entry => !isLocal(entry));
    this.set({ live: [...live, entryOf(message.id, outgoing)], phase: "running", failure: null, items: [] });
    try {
      const id = this.state.id ?? this.begin();
      await this.follow(inputOf(id, [message], outgoing.skill));
    } catch (error) {
      this.fail(asProblem(error));
    }
  }

  /** Say the last thing again, after it failed or was stopped. */
  async retry(): Promise<void> {
    const outgoing = this.lastSent ?? this.lastStored();
    if (outgoing) await this.say(outgoing);
  }

  /** Decide about a call; the run goes on once everything that waits is decided. */
  async decide(approval: Approval, decision: Decision): Promise<void> {
    const decisions = { ...this.state.decisions, [approval.id]: decision };
    this.set({ decisions });
    const { id, approvals } = this.state;
    if (id === null || approvals.some(each => !(each.id in decisions))) return;
    const resume = approvals.map(each => resumeEntry(each.id, decisions[each.id]!));
    this.set({ phase: "running", failure: null });
    await this.follow({ ...inputOf(id, []), resume });
  }

  /** Ask the server to stop; the stream tells when it has. */
  async stop(): Promise<void> {
    const { id, runId } = this.state;
    if (id === null) return;
    this.set({ phase: "stopping" });
    try {
      const newest = runId ?? (await runs(id, 1)).items[0]?.id;
      if (newest) await cancelRun(newest);
    } catch (error) {
      this.set({ phase: this.busy ? "running" : "idle", failure: failureOf(asProblem(error)) });
    }
  }

  async loadOlder(): Promise<void> {
    const { id, older, loading } = this.state;
    if (id === null || older === null || loading) return;
    this.set({ loading: true });
    try {
      const next = await messages(id, { cursor: older, limit: 100 });
      this.set({
        rows: [...next.items.reverse(), ...this.state.rows],
        older: next.next_cursor ?? null,
        loading: false,
      });
    } catch {
      this.set({ loading: false });
    }
  }

  close(): void {
    this.following?.abort();
  }

  private async load(id: string): Promise<void> {
    try {
      const known = await this.refresh(id);
      const input = remembered(id);
      if (input) await this.follow(input);
      else if (isUnderWay(known)) await this.watch(id);
    } catch (error) {
      this.fail(asProblem(error));
    } finally {
      this.set({ loading: false });
    }
  }

  /** A run that another page or another device has begun: its messages are read again until it is over. */
  private async watch(id: string): Promise<void> {
    this.set({ phase: "running", loading: false });
    const abort = new AbortController();
    this.following = abort;
    try {
      while (isUnderWay(await session(id, abort.signal))) {
        await new Promise(resolve => setTimeout(resolve, LOOK_AGAIN));
        if (abort.signal.aborted) return;
        await this.refresh(id);
      }
    } finally {
      this.following = null;
    }
    await this.settle(id);
  }

  /** What is stored, read anew: the newest page, behind the older ones that are here already. */
  private async refresh(id: string): Promise<Session> {
    const [known, newest, approvals] = await Promise.all([session(id), messages(id), pendingApprovals(id)]);
    const page = newest.items.reverse();
    const first = page[0]?.seq ?? 0;
    const before = this.state.rows.filter(row => row.seq < first);
    this.set({
      title: known.title,
      skill: known.skill,
      rows: [...before, ...page],
      older: before.length > 0 ? this.state.older : (newest.next_cursor ?? null),
      approvals,
      decisions: {},
      loading: false,
      phase: this.busy ? this.state.phase : approvals.length > 0 ? "waiting" : "idle",
    });
    return known;
  }

  /** A conversation gets its id here; the server makes it with the first message. */
  private begin(): string {
    const id = newId();
    this.set({ id });
    this.named(this, id);
    return id;
  }

  private async follow(input: RunInput): Promise<void> {
    const abort = new AbortController();
    this.following = abort;
    remember(input);
    const follower = {
      event: (event: AgUiEvent) => this.heard(event, input),
      joined: () => this.state.phase === "lost" && this.set({ phase: "running" }),
      lost: () => this.set({ phase: "lost" }),
    };
    try {
      await followRun(input, follower, abort.signal);
    } catch (error) {
      this.fail(asProblem(error));
    } finally {
      this.following = null;
    }
    if (abort.signal.aborted) return;
    forget(input.threadId);
    await this.settle(input.threadId);
  }

  private heard(event: AgUiEvent, input: RunInput): void {
    const { live, items } = this.state;
    const next: Partial<ThreadState> = { live: applied(live, event), items: runItems(items, event) };
    if (event.type === "STATE_SNAPSHOT" && typeof event.snapshot.run_id === "string")
      next.runId = event.snapshot.run_id;
    if (event.type === "RUN_STARTED") {
      rememberAccepted(input);
      next.runId = null;
      next.phase = this.state.phase === "stopping" ? "stopping" : "running";
      next.approvals = [];
    }
    if (event.type === "CUSTOM" && event.name === "weft.skill")
      next.skill = (event.value.skill as string | null) ?? null;
    if (event.type === "RUN_ERROR") next.failure = { code: event.code ?? "run_failed", message: event.message };
    this.set(next, event.type === "TEXT_MESSAGE_CONTENT" ? "next frame" : "now");
  }

  /** After a run: the stored messages take the place of what was streamed, and nothing is shown twice. */
  private async settle(id: string): Promise<void> {
    try {
      await this.refresh(id);
      this.set({ live: this.state.failure ? this.state.live.filter(isLocal) : [], settled: this.state.settled + 1 });
    } catch (error) {
      this.set({ phase: "idle", failure: this.state.failure ?? failureOf(asProblem(error)) });
    }
  }

  private fail(problem: Problem): void {
    this.set({ phase: "idle", loading: false, failure: failureOf(problem) });
  }

  private lastStored(): Outgoing | null {
    const row = this.state.rows.findLast(each => each.metadata.type === "user_input");
    return row?.content ? { text: row.content, images: [] } : null;
  }
}

function isLocal(entry: Entry): boolean {
  return entry.kind === "user" && entry.local;
}

/** Whether something is being done, and nobody is waited for. */
function isUnderWay(session: Session): boolean {
  return session.status === "running" && !session.state_snapshot.pending_tool_call_id;
}

function failureOf(problem: Problem): Failure {
  return { code: problem.code, message: problem.detail || problem.title };
}
