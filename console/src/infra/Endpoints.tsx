// The addresses of the vendors.
import { useState } from "react";
import { useWords } from "../i18n/language";
import { TextField } from "../ui/Field";
import { Row } from "../ui/Table";
import { change, list, make, remove, type Endpoint } from "./api";
import { List, ListForm } from "./List";
import { RowButtons } from "./RowButtons";
import { VendorField } from "./VendorField";

export function Endpoints() {
  const words = useWords().infra;
  return (
    <List<Endpoint>
      name="endpoints"
      title={words.endpoints}
      intro={words.endpointsIntro}
      read={signal => list<Endpoint>("endpoints", signal)}
      heads={[words.endpoint, words.address, words.region, { shown: words.priority, number: true }]}
      row={(each, reload) => (
        <Row
          key={each.id}
          off={!each.enabled}
          cells={[
            <>
              <strong>{`${each.vendor}/${each.name}`}</strong>{" "}
              {each.category && <span className="tag">{each.category}</span>}
            </>,
            each.base_url ? <code>{each.base_url}</code> : "–",
            each.region,
            each.priority,
            <RowButtons
              name={`${each.vendor}/${each.name}`}
              form={onDone => <EndpointForm endpoint={each} onDone={onDone} />}
              enabled={each.enabled}
              onToggle={() => change("endpoints", each.id, { enabled: !each.enabled })}
              onRemove={() => remove("endpoints", each.id)}
              onDone={reload}
            />,
          ]}
        />
      )}
      form={onDone => <EndpointForm onDone={onDone} />}
    />
  );
}

const FIELDS = ["vendor", "name", "base_url", "region", "priority"];

function EndpointForm({ endpoint, onDone }: { endpoint?: Endpoint; onDone: () => void }) {
  const words = useWords().infra;
  const [vendor, setVendor] = useState(endpoint?.vendor ?? "");
  const [name, setName] = useState("main");
  const [address, setAddress] = useState(endpoint?.base_url ?? "");
  const [region, setRegion] = useState(endpoint?.region ?? "");
  const [priority, setPriority] = useState(String(endpoint?.priority ?? 100));
  const shared = { base_url: address, priority: Number(priority), ...(region && { region }) };
  const save = () =>
    endpoint ? change("endpoints", endpoint.id, shared) : make("endpoints", { vendor, name, ...shared });
  return (
    <ListForm fields={FIELDS} onSave={save} onDone={onDone}>
      {problem => (
        <>
          {!endpoint && (
            <div className="fields">
              <VendorField value={vendor} onChange={setVendor} wrong={problem?.of("vendor")} />
              <TextField label={words.name} value={name} onChange={setName} wrong={problem?.of("name")} />
            </div>
          )}
          <TextField
            label={words.address}
            value={address}
            onChange={setAddress}
            wrong={problem?.of("base_url")}
            placeholder="https://api.deepseek.com/v1"
          />
          <div className="fields">
            <TextField
              label={words.region}
              value={region}
              onChange={setRegion}
              wrong={problem?.of("region")}
              placeholder="cn"
            />
            <TextField
              type="number"
              label={words.priority}
              hint={words.priorityHint}
              value={priority}
              onChange={setPriority}
              wrong={problem?.of("priority")}
            />
          </div>
        </>
      )}
    </ListForm>
  );
}
