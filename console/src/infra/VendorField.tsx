// Choose a vendor, or a model of one, among those that there are.
import { useLoaded } from "../api/useLoaded";
import { useWords } from "../i18n/language";
import { ChoiceField } from "../ui/Field";
import { list, type Model, type Vendor } from "./api";

interface Props {
  value: string;
  onChange: (value: string) => void;
  wrong?: string | null;
}

export function VendorField(props: Props) {
  const words = useWords().infra;
  const vendors = useLoaded("infra/vendors", signal => list<Vendor>("vendors", signal));
  return <Chosen {...props} label={words.vendor} names={vendors.value?.map(each => each.name) ?? []} />;
}

export function ModelField(props: Props) {
  const words = useWords().infra;
  const models = useLoaded("infra/models", signal => list<Model>("models", signal));
  return (
    <Chosen {...props} label={words.model} names={models.value?.map(each => `${each.vendor}/${each.name}`) ?? []} />
  );
}

function Chosen({ names, ...field }: Props & { label: string; names: string[] }) {
  const words = useWords();
  return <ChoiceField {...field} placeholder={words.choose} choices={names.map(each => [each, each])} />;
}
