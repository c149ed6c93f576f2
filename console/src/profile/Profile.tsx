// What the assistant knows of the user, each part with its own button to save.
import { useLoaded } from "../api/useLoaded";
import { useWords } from "../i18n/language";
import { Loading, ProblemNotice } from "../ui/Notices";
import { profile } from "./api";
import { BirthForm } from "./BirthForm";
import { Facts } from "./Facts";
import { LifeForm } from "./LifeForm";
import { Memory } from "./Memory";
import { SettingsForm } from "./SettingsForm";

export function Profile() {
  const words = useWords();
  const found = useLoaded("profile", profile);
  return (
    <div className="page">
      <div className="inner">
        <header className="page-head">
          <div>
            <h1>{words.profile.title}</h1>
            <p>{words.profile.intro}</p>
          </div>
        </header>
        <ProblemNotice problem={found.problem} onRetry={found.reload} />
        {found.loading && !found.value && <Loading />}
        {found.value && (
          <>
            <SettingsForm profile={found.value} />
            <BirthForm birth={found.value.birth_info} />
            <LifeForm life={found.value.life_context} />
            <Facts facts={found.value.extracted} onChanged={found.reload} />
            <Memory />
          </>
        )}
      </div>
    </div>
  );
}
