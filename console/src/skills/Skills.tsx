// Skills: the catalogue, a skill's page, and what is proposed.
import { go, href } from "../app/route";
import { useWords } from "../i18n/language";
import { Tabs } from "../ui/Tabs";
import { Catalogue } from "./Catalogue";
import { ProposalPage } from "./ProposalPage";
import { Proposals } from "./Proposals";
import { SkillPage } from "./SkillPage";
import "./skills.css";

export function Skills({ name, query }: { name: string | null; query: URLSearchParams }) {
  const words = useWords();
  const proposal = query.get("proposal");
  const tab = name === "proposals" || proposal ? "proposals" : "catalogue";
  if (proposal)
    return (
      <Frame>
        <ProposalPage id={proposal} />
      </Frame>
    );
  if (name && name !== "proposals")
    return (
      <Frame>
        <SkillPage name={name} />
      </Frame>
    );
  return (
    <Frame>
      <header className="page-head">
        <div>
          <h1>{words.skills.title}</h1>
          <p>{words.skills.intro}</p>
        </div>
      </header>
      <Tabs
        label={words.skills.title}
        tabs={[
          ["catalogue", words.skills.catalogue],
          ["proposals", words.skills.proposals],
        ]}
        current={tab}
        onChoose={next => go(href("skills", next === "proposals" ? "proposals" : null))}
      >
        {tab === "catalogue" ? <Catalogue /> : <Proposals />}
      </Tabs>
    </Frame>
  );
}

function Frame({ children }: { children: React.ReactNode }) {
  return (
    <div className="page">
      <div className="inner">{children}</div>
    </div>
  );
}
