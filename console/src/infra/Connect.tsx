// One OpenAI-compatible vendor in one form: made, made the default, and called once to see that it answers.
import { useState, type FormEvent } from "react";
import { Problem } from "../api/http";
import { href } from "../app/route";
import { useWords } from "../i18n/language";
import { TextField } from "../ui/Field";
import { Icon } from "../ui/Icon";
import { ProblemNotice } from "../ui/Notices";
import { useAction } from "../ui/useAction";
import { change, list, make, setAlias, testCall, type Alias, type Endpoint, type Key, type Trial } from "./api";
import { SecretField } from "./KeyForm";
import { TrialResult } from "./TrialResult";

const OWN = "console"; // what this form calls the endpoint and the key that it makes

interface Wanted {
  vendor: string;
  address: string;
  secret: string;
  model: string;
}

export function Connect() {
  const { infra: words, chat } = useWords();
  const [wanted, setWanted] = useState<Wanted>({
    vendor: "deepseek",
    address: "https://api.deepseek.com/v1",
    secret: "",
    model: "deepseek-chat",
  });
  const [trial, setTrial] = useState<Trial | null>(null);
  const { busy, problem, run } = useAction();
  const set = (name: keyof Wanted) => (value: string) => setWanted(before => ({ ...before, [name]: value }));
  function onSubmit(event: FormEvent) {
    event.preventDefault();
    setTrial(null);
    void run(async () => setTrial(await connect(wanted)));
  }
  return (
    <>
      <form className="card stack" onSubmit={onSubmit} noValidate>
        <p className="muted">{words.connectIntro}</p>
        <div className="fields two">
          <TextField label={words.vendor} value={wanted.vendor} onChange={set("vendor")} wrong={problem?.of("name")} />
          <TextField
            label={words.address}
            value={wanted.address}
            onChange={set("address")}
            wrong={problem?.of("base_url")}
          />
          <SecretField value={wanted.secret} onChange={set("secret")} wrong={problem?.of("secret")} />
          <TextField label={words.model} hint={words.modelHint} value={wanted.model} onChange={set("model")} />
        </div>
        <ProblemNotice problem={problem} />
        <div className="row">
          <button type="submit" className="button primary" disabled={busy}>
            {busy ? words.calling : words.connectDo}
          </button>
        </div>
      </form>
      {trial && (
        <>
          <div className="notice ok connected" role="status">
            <span className="grow">{words.connected}</span>
            <a className="button small" href={href("chat")}>
              <Icon name="chat" />
              {chat.begin}
            </a>
          </div>
          <TrialResult trial={trial} />
        </>
      )}
    </>
  );
}

/** Each part is made unless it is there; the default is set only after the model has answered. */
async function connect({ vendor, address, secret, model }: Wanted): Promise<Trial> {
  await unlessThere(make("vendors", { name: vendor, title: vendor, needs_key: secret !== "" }));
  await unlessThere(make("endpoints", { vendor, name: OWN, base_url: address, priority: 50 }), () =>
    moveEndpoint(vendor, address),
  );
  if (secret) await unlessThere(make("keys", { vendor, name: OWN, secret }), () => replaceKey(vendor, secret));
  await unlessThere(make("models", { vendor, name: model, context_window: 65_536 }));
  const reference = `${vendor}/${model}`;
  const trial = await testCall(reference);
  const known = (await list<Alias>("aliases")).find(each => each.name === "default");
  await setAlias("default", [reference, ...(known?.models.filter(each => each !== reference) ?? [])]);
  return trial;
}

async function unlessThere(made: Promise<unknown>, otherwise?: () => Promise<unknown>): Promise<void> {
  try {
    await made;
  } catch (error) {
    if (!(error instanceof Problem && error.status === 409)) throw error;
    await otherwise?.();
  }
}

async function replaceKey(vendor: string, secret: string): Promise<void> {
  const key = (await list<Key>("keys")).find(each => each.vendor === vendor && each.name === OWN);
  if (key) await change("keys", key.id, { secret, enabled: true });
}

async function moveEndpoint(vendor: string, address: string): Promise<void> {
  const endpoint = (await list<Endpoint>("endpoints")).find(each => each.vendor === vendor && each.name === OWN);
  if (endpoint) await change("endpoints", endpoint.id, { base_url: address, enabled: true });
}
