// Markdown as React elements: no HTML is ever parsed, links lead to the web or to mail, and nothing is fetched.
import { Lexer, type Token, type Tokens } from "marked";
import { memo, useMemo, type ReactNode } from "react";
import { CodeBlock } from "./CodeBlock";

/** Blocks that stay the same while a text grows are drawn once. */
export const Markdown = memo(function Markdown({ text }: { text: string }) {
  const blocks = useMemo(() => Lexer.lex(text, { gfm: true, breaks: true }), [text]);
  return (
    <div className="markdown">
      {blocks.map((token, index) => (
        <Block key={index} raw={token.raw} token={token} />
      ))}
    </div>
  );
});

const Block = memo(
  function Block({ token }: { raw: string; token: Token }) {
    return <>{block(token as Tokens.Generic)}</>;
  },
  (before, after) => before.raw === after.raw,
);

function block(token: Tokens.Generic, key?: number): ReactNode {
  switch (token.type) {
    case "heading": {
      const Heading = `h${Math.min(6, token.depth + 2)}` as "h3";
      return <Heading key={key}>{inline(token.tokens)}</Heading>;
    }
    case "paragraph":
      return <p key={key}>{inline(token.tokens)}</p>;
    case "text":
      return <span key={key}>{token.tokens ? inline(token.tokens) : token.text}</span>;
    case "code":
      return <CodeBlock key={key} text={token.text} language={token.lang ?? ""} />;
    case "blockquote":
      return <blockquote key={key}>{blocks(token.tokens)}</blockquote>;
    case "list":
      return list(token as Tokens.List, key);
    case "table":
      return table(token as Tokens.Table, key);
    case "hr":
      return <hr key={key} />;
    case "checkbox":
      return span(token, key ?? 0);
    case "space":
    case "def":
      return null;
    default:
      return <p key={key}>{token.raw}</p>; // HTML is shown as it is written
  }
}

function blocks(tokens: readonly Token[] = []): ReactNode {
  return tokens.map((token, index) => block(token as Tokens.Generic, index));
}

function list(token: Tokens.List, key?: number): ReactNode {
  const items = token.items.map((item, index) => (
    <li key={index} className={item.task ? "task" : undefined}>
      {blocks(item.tokens)}
    </li>
  ));
  if (!token.ordered) return <ul key={key}>{items}</ul>;
  return (
    <ol key={key} start={token.start === "" ? 1 : token.start}>
      {items}
    </ol>
  );
}

function table(token: Tokens.Table, key?: number): ReactNode {
  return (
    <div key={key} className="table-wrap" tabIndex={0}>
      <table>
        <thead>
          <tr>
            {token.header.map((cell, index) => (
              <th key={index}>{inline(cell.tokens)}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {token.rows.map((row, index) => (
            <tr key={index}>
              {row.map((cell, column) => (
                <td key={column}>{inline(cell.tokens)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function inline(tokens: readonly Token[] = []): ReactNode {
  return tokens.map((token, index) => span(token as Tokens.Generic, index));
}

function span(token: Tokens.Generic, key: number): ReactNode {
  switch (token.type) {
    case "strong":
      return <strong key={key}>{inline(token.tokens)}</strong>;
    case "em":
      return <em key={key}>{inline(token.tokens)}</em>;
    case "del":
      return <del key={key}>{inline(token.tokens)}</del>;
    case "codespan":
      return <code key={key}>{token.text}</code>;
    case "br":
      return <br key={key} />;
    case "link":
      return link(token.href, inline(token.tokens), key);
    case "image":
      return link(token.href, token.text || token.href, key); // a picture from elsewhere would tell its host who reads
    case "checkbox":
      return <input key={key} type="checkbox" checked={token.checked} disabled readOnly />;
    case "escape":
    case "text":
      return token.tokens ? <span key={key}>{inline(token.tokens)}</span> : decoded(token.text);
    default:
      return token.raw;
  }
}

const ENTITIES: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'", nbsp: "\u00a0" };

function decoded(text: string): string {
  return text.includes("&") ? text.replace(/&(amp|lt|gt|quot|#39|nbsp);/g, (_, name: string) => ENTITIES[name]!) : text;
}

const SAFE = /^(https?:|mailto:)/i;

function link(href: string, content: ReactNode, key: number): ReactNode {
  if (!SAFE.test(href)) return <span key={key}>{content}</span>;
  return (
    <a key={key} href={href} target="_blank" rel="noopener noreferrer nofollow">
      {content}
    </a>
  );
}
