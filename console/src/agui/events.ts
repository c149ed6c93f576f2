// The events of an AG-UI stream that the console shows; others are passed over.

export interface Interrupt {
  id: string;
  reason?: string;
  message?: string;
  toolCallId?: string;
  responseSchema?: unknown;
  expiresAt?: string;
}

export interface InputPart {
  type: string;
  text?: string;
  source?: { type: string; value: string; mimeType?: string };
  [more: string]: unknown;
}

export interface AgUiMessage {
  id: string;
  role: string;
  content?: string | InputPart[] | null;
  toolCalls?: { id: string; type: "function"; function: { name: string; arguments: string } }[];
  toolCallId?: string;
  error?: string;
  metadata?: Marks;
}

/** What Weft notes beside an event or a message. */
export interface Marks {
  weft?: { status?: "failed" | "denied" | "unknown"; incomplete?: boolean };
}

type Timed<T> = T & { timestamp?: number };
export type AgUiEvent = Timed<
  | { type: "RUN_STARTED"; threadId: string; runId: string }
  | { type: "STEP_STARTED" | "STEP_FINISHED"; stepName: string }
  | { type: "TEXT_MESSAGE_START"; messageId: string; role?: string }
  | { type: "TEXT_MESSAGE_CONTENT"; messageId: string; delta: string }
  | { type: "TEXT_MESSAGE_END"; messageId: string; metadata?: Marks }
  | { type: "REASONING_MESSAGE_START"; messageId: string }
  | { type: "REASONING_MESSAGE_CONTENT"; messageId: string; delta: string }
  | { type: "REASONING_MESSAGE_END"; messageId: string }
  | { type: "TOOL_CALL_START"; toolCallId: string; toolCallName: string; parentMessageId?: string }
  | { type: "TOOL_CALL_ARGS"; toolCallId: string; delta: string }
  | { type: "TOOL_CALL_END"; toolCallId: string }
  | {
      type: "TOOL_CALL_RESULT";
      toolCallId: string;
      messageId: string;
      content: string | InputPart[];
      error?: string;
      metadata?: Marks;
    }
  | { type: "STATE_SNAPSHOT"; snapshot: Record<string, unknown> }
  | { type: "STATE_DELTA"; delta: unknown[] }
  | { type: "MESSAGES_SNAPSHOT"; messages: AgUiMessage[] }
  | { type: "CUSTOM"; name: string; value: Record<string, unknown> }
  | { type: "RUN_FINISHED"; threadId: string; runId: string; outcome?: Outcome }
  | { type: "RUN_ERROR"; message: string; code?: string }
>;

export type Outcome =
  | { type: "success"; pendingToolCallIds?: string[] }
  | { type: "interrupt"; interrupts: Interrupt[] }
  | { type: "cancelled" };

export interface ResumeEntry {
  interruptId: string;
  status: "resolved" | "cancelled";
  payload?: { approved: boolean; editedArgs?: Record<string, unknown>; reason?: string };
}

/** What POST /agui takes. The same threadId and runId again rejoin the run, whatever became of it. */
export interface RunInput {
  threadId: string;
  runId: string;
  messages: AgUiMessage[];
  state: Record<string, unknown>;
  tools: never[];
  context: never[];
  forwardedProps: Record<string, unknown>;
  resume?: ResumeEntry[];
  protocolVersion: string;
}

export const ENDS: ReadonlySet<string> = new Set(["RUN_FINISHED", "RUN_ERROR"]);
