// The addresses of the vendors.
import { useState } from "react";
import { useWords } from "../i18n/language";
import { TextField } from "../ui/Field";
import { change, list, make, remove, type Endpoint } from "./api";
import { List, ListForm, RowButtons } from "./List";
import { VendorField } from "./VendorField";

export function Endpoints() {
  const words = useWords().infra;
  return (
    <List<Endpoint>
      name="endpoints"
      title={words.endpoints}
      read={signal => list<Endpoint>("endpoints", signal)}
      heads={[words.vendor, words.name, words.address, words.region, words.priority]}
      row={(each, reload) => (
        <tr key={each.id} className={each.enabled ? undefined : "off"}>
          <td>{each.vendor}</td>
          <td>
            <strong>{each.name}</strong> {each.category && <span className="tag">{each.category}</span>}
          </td>
          <td>
            <code>{each.base_url}</code>
          </td>
          <td>{each.region}</td>
          <td className="number">{each.priority}</td>
          <td>
            <RowButtons
              name={`${each.vendor}/${each.name}`}
              enabled={each.enabled}
              onToggle={() => change("endpoints", each.id, { enabled: !each.enabled })}
              onRemove={() => remove("endpoints", each.id)}
              onDone={reload}
            />
          </td>
        </tr>
      )}
      form={onDone => <EndpointForm onDone={onDone} />}
    />
  );
}

function EndpointForm({ onDone }: { onDone: () => void }) {
  const words = useWords().infra;
  const [vendor, setVendor] = useState("");
  const [name, setName] = useState("main");
  const [address, setAddress] = useState("");
  const [region, setRegion] = useState("");
  const wish = { vendor, name, base_url: address, ...(region && { region }) };
  return (
    <ListForm fields={["vendor", "name", "base_url", "region"]} onSave={() => make("endpoints", wish)} onDone={onDone}>
      {problem => (
        <>
          <VendorField value={vendor} onChange={setVendor} wrong={problem?.of("vendor")} />
          <TextField label={words.name} value={name} onChange={setName} wrong={problem?.of("name")} />
          <TextField
            label={words.address}
            value={address}
            onChange={setAddress}
            wrong={problem?.of("base_url")}
            placeholder="https://api.deepseek.com/v1"
          />
          <TextField
            label={words.region}
            value={region}
            onChange={setRegion}
            wrong={problem?.of("region")}
            placeholder="cn"
          />
        </>
      )}
    </ListForm>
  );
}
