// Whether it is the built-in offline model that answers: the first in line for which nothing is missing.
import { list, type Alias, type Key, type Vendor } from "../infra/api";

export async function answersOffline(signal: AbortSignal): Promise<boolean> {
  const [aliases, vendors, keys] = await Promise.all([
    list<Alias>("aliases", signal),
    list<Vendor>("vendors", signal),
    list<Key>("keys", signal),
  ]);
  const models = aliases.find(each => each.name === "default")?.models ?? [];
  const inLine = models.flatMap(model => vendors.filter(each => each.name === model.split("/")[0]));
  const ready = (vendor: Vendor) =>
    vendor.enabled &&
    (!vendor.needs_key || keys.some(key => key.vendor === vendor.name && key.enabled && key.last_four));
  return inLine.find(ready)?.lane === "offline";
}
