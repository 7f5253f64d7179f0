import { Lexer, type Token, type Tokens } from "marked";
import type { ComponentChildren, JSX } from "preact";
import { useRef } from "preact/hooks";
import { memo } from "../kit/memo.js";
import { Code } from "./code.js";
import { decodeEntities } from "./entities.js";
import { ExternalLink } from "./link.js";
import { isolate } from "./text.js";

interface MarkdownProps {
  text: string;
  /** More of the text comes. */
  growing?: boolean;
}

/** The blocks of a text that was parsed before, but for the last one, which may still grow. */
interface Parsed {
  prefix: string;
  blocks: Token[];
}

/**
 * A text in Markdown. HTML in it is text. Of a text that grows, only the last block is parsed again each time.
 */
export function Markdown({ text, growing = false }: MarkdownProps): JSX.Element {
  const parsed = useRef<Parsed>({ prefix: "", blocks: [] });
  const blocks = parse(text, parsed.current);
  return (
    <div class="markdown" dir="auto">
      {blocks.map((block, i) => (
        <Block key={i} raw={block.raw} token={block} growing={growing && i === blocks.length - 1} />
      ))}
    </div>
  );
}

/** Returns the blocks of a text, and stores those that stay. */
function parse(text: string, parsed: Parsed): Token[] {
  if (!text.startsWith(parsed.prefix)) {
    parsed.prefix = "";
    parsed.blocks = [];
  }
  const rest = new Lexer({ gfm: true, breaks: false }).lex(text.slice(parsed.prefix.length));
  const blocks = [...parsed.blocks, ...rest].filter(({ type }) => type !== "space" && type !== "def");
  const last = rest.findLastIndex(({ type }) => type !== "space");
  if (last > 0 && text.length - parsed.prefix.length > 2000) {
    const done = rest.slice(0, last);
    const length = done.reduce((sum, { raw }) => sum + raw.length, 0);
    // The lexer replaces tabs and line ends: what it has read is stored only if it is what the text has.
    if (text.startsWith(done.map(({ raw }) => raw).join(""), parsed.prefix.length)) {
      parsed.prefix += text.slice(parsed.prefix.length, parsed.prefix.length + length);
      parsed.blocks = [...parsed.blocks, ...done];
    }
  }
  return blocks;
}

interface BlockProps {
  /** What the token was read from: a block with the same text is not rendered again. */
  raw: string;
  token: Token;
  growing: boolean;
}

const Block = memoBlock(({ token, growing }: BlockProps) => <>{renderBlock(token, growing)}</>);

/** Memoizes by the text of the block, as its token is another one each time. */
function memoBlock(inner: (props: BlockProps) => JSX.Element): (props: BlockProps) => JSX.Element {
  const Inner = memo(({ hold, growing }: { raw: string; hold: { token: Token }; growing: boolean }) => inner({ raw: "", token: hold.token, growing }));
  return function MemoBlock({ raw, token, growing }: BlockProps) {
    const hold = useRef({ token });
    if (hold.current.token.raw !== raw) {
      hold.current = { token };
    }
    return <Inner raw={raw} hold={hold.current} growing={growing} />;
  };
}

function renderBlock(token: Token, growing = false, key?: number): ComponentChildren {
  switch (token.type) {
    case "heading": {
      // The session has the first level.
      const Heading = `h${Math.min(6, (token as Tokens.Heading).depth + 1)}` as "h2";
      return (
        <Heading key={key} class={`heading-${(token as Tokens.Heading).depth}`}>
          {inline(token.tokens)}
        </Heading>
      );
    }
    case "paragraph":
      return <p key={key}>{inline(token.tokens)}</p>;
    case "text":
      return token.tokens === undefined ? plain(token.text as string) : inline(token.tokens);
    case "code":
      return <Code key={key} code={(token as Tokens.Code).text} language={((token as Tokens.Code).lang ?? "").split(/\s/, 1)[0] ?? ""} growing={growing} />;
    case "blockquote":
      return <blockquote key={key}>{blocksOf(token.tokens)}</blockquote>;
    case "list": {
      const { ordered, start, items } = token as Tokens.List;
      const children = items.map((item, i) => (
        <li key={i} class={item.task ? "task" : undefined}>
          {item.task && <input type="checkbox" checked={item.checked ?? false} disabled aria-label={item.checked ? "Done" : "Not done"} />}
          {blocksOf(item.tokens.filter(({ type }) => type !== "checkbox"))}
        </li>
      ));
      return ordered ? (
        <ol key={key} start={start === "" ? 1 : start}>
          {children}
        </ol>
      ) : (
        <ul key={key}>{children}</ul>
      );
    }
    case "table":
      return <Table key={key} table={token as Tokens.Table} />;
    case "hr":
      return <hr key={key} />;
    case "space":
    case "def":
      return null;
    default:
      return <p key={key}>{plain(token.raw)}</p>;
  }
}

function blocksOf(tokens: Token[] | undefined): ComponentChildren {
  return tokens?.map((token, i) => renderBlock(token, false, i));
}

function Table({ table }: { table: Tokens.Table }): JSX.Element {
  return (
    <div class="table-box" tabIndex={0} role="group" aria-label="Table">
      <table>
        <thead>
          <tr>
            {table.header.map((cell, i) => (
              <th key={i} scope="col" class={cell.align === null ? undefined : `align-${cell.align}`}>
                {inline(cell.tokens)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {table.rows.map((row, i) => (
            <tr key={i}>
              {row.map((cell, j) => (
                <td key={j} class={cell.align === null ? undefined : `align-${cell.align}`}>
                  {inline(cell.tokens)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function inline(tokens: Token[] | undefined): ComponentChildren {
  return tokens?.map((token, i) => renderInline(token, i));
}

function renderInline(token: Token, key: number): ComponentChildren {
  switch (token.type) {
    case "strong":
      return <strong key={key}>{inline(token.tokens)}</strong>;
    case "em":
      return <em key={key}>{inline(token.tokens)}</em>;
    case "del":
      return <del key={key}>{inline(token.tokens)}</del>;
    case "codespan":
      return <code key={key}>{isolate(token.text as string)}</code>;
    case "br":
      return <br key={key} />;
    case "link":
      return (
        <ExternalLink key={key} href={(token as Tokens.Link).href} title={(token as Tokens.Link).title ?? undefined}>
          {inline(token.tokens)}
        </ExternalLink>
      );
    case "image": // of elsewhere: it is not loaded
      return (
        <ExternalLink key={key} href={(token as Tokens.Image).href}>
          {`Image: ${plain((token as Tokens.Image).text) || (token as Tokens.Image).href}`}
        </ExternalLink>
      );
    case "text":
      return token.tokens === undefined ? plain(token.text as string) : inline(token.tokens);
    case "escape":
      return token.text as string;
    case "checkbox":
      return null;
    default:
      return isolate(token.raw);
  }
}

function plain(text: string): string {
  return isolate(decodeEntities(text));
}
