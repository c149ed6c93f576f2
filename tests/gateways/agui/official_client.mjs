// Drives the official client of AG-UI for one run: what it is given on stdin, what it made of it on stdout.
// The client is looked up from the package.json that AGUI_JS names.
import { createRequire } from "node:module";
import fs from "node:fs";

const { HttpAgent } = createRequire(process.env.AGUI_JS)("@ag-ui/client");
const { url, input, dropAfter } = JSON.parse(fs.readFileSync(0, "utf8"));
const warnings = [];
console.warn = (...said) => warnings.push(said.map(String).join(" "));
console.error = () => {};
process.on("unhandledRejection", () => {});

const agent = new HttpAgent({
  url,
  threadId: input.threadId,
  initialMessages: input.messages,
  initialState: input.state ?? {},
});
const events = [];
let failure = null;
const { runId, tools = [], context = [], forwardedProps = {}, resume } = input;
const onEvent = ({ event }) => {
  events.push(event.type);
  if (dropAfter && events.filter((type) => type === "TEXT_MESSAGE_CONTENT").length === dropAfter) agent.abortRun();
};
try {
  await agent.runAgent({ runId, tools, context, forwardedProps, ...(resume ? { resume } : {}) }, { onEvent });
} catch (error) {
  failure = String(error.message ?? error);
}
const { messages, state, pendingInterrupts: interrupts = [] } = agent;
process.stdout.write(JSON.stringify({ events, messages, state, interrupts, failure, warnings }));
