// The AI infrastructure, one list at a time; connecting a vendor takes one form.
import type { ComponentType } from "react";
import { go, href } from "../app/route";
import { useWords } from "../i18n/language";
import { Tabs } from "../ui/Tabs";
import { Aliases } from "./Aliases";
import { Connect } from "./Connect";
import { Endpoints } from "./Endpoints";
import { Keys } from "./Keys";
import { Models } from "./Models";
import { Prices } from "./Prices";
import { TestCall } from "./TestCall";
import { Vendors } from "./Vendors";
import "./infra.css";

const SECTIONS = ["connect", "vendors", "keys", "endpoints", "models", "prices", "aliases", "test"] as const;
type Section = (typeof SECTIONS)[number];
const PAGES: Record<Section, ComponentType> = {
  connect: Connect,
  vendors: Vendors,
  keys: Keys,
  endpoints: Endpoints,
  models: Models,
  prices: Prices,
  aliases: Aliases,
  test: TestCall,
};

export function Infra({ section }: { section: string | null }) {
  const words = useWords().infra;
  const current = SECTIONS.find(each => each === section) ?? "connect";
  const Page = PAGES[current];
  return (
    <div className="page">
      <div className="inner">
        <header className="page-head">
          <div>
            <h1>{words.title}</h1>
            <p>{words.intro}</p>
          </div>
        </header>
        <Tabs
          label={words.title}
          tabs={SECTIONS.map(each => [each, words[each]] as const)}
          current={current}
          onChoose={next => go(href("infra", next))}
        >
          <Page />
        </Tabs>
      </div>
    </div>
  );
}
