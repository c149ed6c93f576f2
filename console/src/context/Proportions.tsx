// A prompt as one bar: each block as wide as it has tokens, coloured by who wrote it, hatched where the cache knows it.
import type { ContextBlock } from "../api/calls";
import { count, percent } from "../i18n/format";
import { useWords } from "../i18n/language";

const TRUSTS = ["policy", "operator", "user", "external"] as const;

export function Proportions({ blocks }: { blocks: readonly ContextBlock[] }) {
  const words = useWords();
  const sent = blocks.filter(each => each.text !== null || each.cached !== null);
  const total = Math.max(
    1,
    sent.reduce((sum, each) => sum + each.tokens, 0),
  );
  return (
    <figure className="proportions">
      <div
        className="proportion-bar"
        role="img"
        aria-label={words.context.barLabel(
          TRUSTS.map(trust => `${words.context.trusts[trust]} ${percent(tokensOf(sent, trust), total)}`).join(", "),
        )}
      >
        {sent.map((each, index) => (
          <span
            key={index}
            className={`proportion ${each.trust} ${each.cached ?? ""}`}
            style={{ flexGrow: each.tokens }}
            title={`${each.id} · ${count(each.tokens)}`}
          />
        ))}
      </div>
      <figcaption>
        {TRUSTS.map(trust => (
          <span key={trust} className="legend">
            <i className={`swatch ${trust}`} aria-hidden="true" />
            {words.context.trusts[trust]} <span className="number">{percent(tokensOf(sent, trust), total)}</span>
          </span>
        ))}
        <span className="legend">
          <i className="swatch expected" aria-hidden="true" />
          {words.context.cachedHatch}
        </span>
      </figcaption>
    </figure>
  );
}

function tokensOf(blocks: readonly ContextBlock[], trust: string): number {
  return blocks.filter(each => each.trust === trust).reduce((sum, each) => sum + each.tokens, 0);
}
