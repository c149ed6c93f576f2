// Where the reader is: the part of the address after `#`, so that the server needs to know one page only.
import { useSyncExternalStore } from "react";

export const PLACES = ["chat", "ledger", "skills", "profile", "infra"] as const;
export type Place = (typeof PLACES)[number];

export interface Route {
  place: Place;
  id: string | null;
  query: URLSearchParams;
}

let seen = "";
let route: Route = parse("");

export function parse(hash: string): Route {
  const [path = "", query = ""] = hash.replace(/^#\/?/, "").split("?");
  const [place, id] = path.split("/");
  return {
    place: PLACES.find(known => known === place) ?? "chat",
    id: id ? decodeURIComponent(id) : null,
    query: new URLSearchParams(query),
  };
}

export function href(place: Place, id?: string | null, query: Record<string, string> = {}): string {
  const tail = new URLSearchParams(query).toString();
  return `#/${place}${id ? `/${encodeURIComponent(id)}` : ""}${tail ? `?${tail}` : ""}`;
}

/** What a call was sent, beside the conversation that is looked at. */
export function hrefOfCall(callId: string): string {
  return `${location.hash.split("?")[0] || "#/chat"}?${new URLSearchParams({ call: callId })}`;
}

export function go(to: string, how: "push" | "replace" = "push"): void {
  if (how === "push") {
    location.hash = to;
    return;
  }
  history.replaceState(null, "", to);
  window.dispatchEvent(new HashChangeEvent("hashchange"));
}

export function useRoute(): Route {
  return useSyncExternalStore(
    tell => {
      window.addEventListener("hashchange", tell);
      return () => window.removeEventListener("hashchange", tell);
    },
    () => {
      if (location.hash !== seen) {
        seen = location.hash;
        route = parse(seen);
      }
      return route;
    },
  );
}
