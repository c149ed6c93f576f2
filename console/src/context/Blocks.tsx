// The blocks of a prompt as text, in the order in which they were sent.
import { memo } from "react";
import type { ContextBlock } from "../api/calls";
import { count } from "../i18n/format";
import { useWords } from "../i18n/language";

export const Blocks = memo(function Blocks({ blocks }: { blocks: readonly ContextBlock[] }) {
  return (
    <ol className="blocks">
      {blocks.map((each, index) => (
        <BlockRow key={index} block={each} />
      ))}
    </ol>
  );
});

function BlockRow({ block }: { block: ContextBlock }) {
  const words = useWords();
  const cut = block.state !== "whole";
  return (
    <li className={block.text === null ? "block left-out" : "block"}>
      <details>
        <summary>
          <i className={`swatch ${block.trust} ${block.cached ?? ""}`} aria-hidden="true" />
          <code className="block-id">{block.id}</code>
          {cut && <span className="tag warn">{words.context.states[block.state]}</span>}
          {block.cached && (
            <span className={block.cached === "expected" ? "tag ok" : "tag"}>
              {words.context.cachedStates[block.cached]}
            </span>
          )}
          <span className="number block-tokens">{count(block.tokens)}</span>
        </summary>
        <dl className="block-facts">
          <dt>{words.context.source}</dt>
          <dd>{block.source}</dd>
          <dt>{words.context.trust}</dt>
          <dd>{words.context.trusts[block.trust]}</dd>
          <dt>{words.context.scope}</dt>
          <dd>{words.context.scopes[block.scope] ?? block.scope}</dd>
          {block.whole_tokens !== null && block.whole_tokens !== block.tokens && (
            <>
              <dt>{words.context.wholeTokens}</dt>
              <dd className="number">{count(block.whole_tokens)}</dd>
            </>
          )}
          {block.why && (
            <>
              <dt>{words.context.why}</dt>
              <dd>{block.why}</dd>
            </>
          )}
        </dl>
        {block.text !== null && (
          <pre className="code-text" tabIndex={0}>
            {block.text}
          </pre>
        )}
      </details>
    </li>
  );
}
