// Drives the official client of AG-UI for one run: what it is given on stdin, what it made of it on stdout.
import { createRequire } from "node:module";
import fs from "node:fs";

const { client, url, input, dropAfter, unversioned, connect } = JSON.parse(fs.readFileSync(0, "utf8"));
const { HttpAgent, runHttpRequest, transformHttpEventStream } = createRequire(import.meta.url)(client);
const warnings = [];
console.warn = (...said) => warnings.push(said.map(String).join(" "));
console.error = () => {};
process.on("unhandledRejection", () => {});

async function send(address, request) {
  if (!unversioned) return fetch(address, request);
  const { protocolVersion, ...body } = JSON.parse(request.body);
  return fetch(address, { ...request, body: JSON.stringify(body) });
}

const agent = new HttpAgent({
  url,
  threadId: input.threadId,
  initialMessages: input.messages,
  initialState: input.state ?? {},
  fetch: send,
});
const events = [];
let failure = null;
let said = null; // by the run itself, where it failed
const { runId, tools = [], context = [], forwardedProps = {}, resume } = input;
const onEvent = ({ event }) => {
  events.push(event.type);
  if (event.type === "RUN_ERROR") said = { code: event.code, message: event.message };
  if (dropAfter && events.filter((type) => type === "TEXT_MESSAGE_CONTENT").length === dropAfter) agent.abortRun();
};
agent.connect = (given) => transformHttpEventStream(runHttpRequest(() => send(url, agent.requestInit(given))));
const go = connect ? agent.connectAgent : agent.runAgent;
try {
  await go.call(agent, { runId, tools, context, forwardedProps, ...(resume ? { resume } : {}) }, { onEvent });
} catch (error) {
  failure = String(error.message ?? error);
}
const { messages, state, pendingInterrupts: interrupts = [] } = agent;
process.stdout.write(JSON.stringify({ events, messages, state, interrupts, failure, warnings, said }));
