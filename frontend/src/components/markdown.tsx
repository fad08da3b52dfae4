/** Markdown as elements, without HTML in between. */

import { createElement, type ComponentChildren } from "preact";

import { say } from "../languages/say.ts";
import { parseInline, type Inline } from "../lib/inlines.ts";
import { parseMarkdown, type Block } from "../lib/markdown.ts";
import { TableHead } from "./table_head.tsx";
import { ScrollArea } from "./tables.tsx";

interface Props {
  readonly text: string;
  /** The level of its first headings: below those of the page. */
  readonly top?: 2 | 3;
}

/** A Markdown text. */
export const Markdown = ({ text, top = 3 }: Props) => (
  <div class="prose" lang="">
    {parseMarkdown(text).map((block) => renderBlock(block, top))}
  </div>
);

function renderBlock(block: Block, top = 3): ComponentChildren {
  switch (block.kind) {
    case "heading":
      return createElement(`h${block.level <= 2 ? top : top + 1}`, null, renderInlines(block.content));
    case "paragraph":
      return <p>{renderInlines(block.content)}</p>;
    case "code":
      return (
        <pre tabIndex={0}>
          <code>{block.text}</code>
        </pre>
      );
    case "quote":
      return <blockquote>{block.blocks.map((each) => renderBlock(each))}</blockquote>;
    case "list": {
      const items = block.items.map((item, index) => <li key={index}>{renderItem(item)}</li>);
      return block.ordered ? <ol>{items}</ol> : <ul>{items}</ul>;
    }
    case "table":
      return (
        <ScrollArea label={say("Table")}>
          <table>
            <TableHead labels={block.head.map(renderInlines)} />
            <tbody>
              {block.rows.map((row, index) => (
                <tr key={index}>
                  {row.map((cell, column) => (
                    <td key={column}>{renderInlines(cell)}</td>
                  ))}
                  {row.length < block.head.length && <td colSpan={block.head.length - row.length} />}
                </tr>
              ))}
            </tbody>
          </table>
        </ScrollArea>
      );
    case "rule":
      return <hr />;
  }
}

/** Render an item. Its first paragraph has no space around it. */
function renderItem(item: readonly Block[]): ComponentChildren {
  return item.map((block, index) =>
    index === 0 && block.kind === "paragraph" ? renderInlines(block.content) : renderBlock(block),
  );
}

/** A text with inline Markdown only. */
export const Inlines = ({ text }: { readonly text: string }) => <>{renderInlines(parseInline(text))}</>;

const renderInlines = (content: readonly Inline[]): ComponentChildren => content.map(renderInline);

function renderInline(inline: Inline): ComponentChildren {
  switch (inline.kind) {
    case "text":
      return inline.text;
    case "code":
      return <code>{inline.text}</code>;
    case "strong":
      return <strong>{renderInlines(inline.content)}</strong>;
    case "emphasis":
      return <em>{renderInlines(inline.content)}</em>;
    case "link":
      return (
        <a href={inline.url} rel="noreferrer nofollow">
          {renderInlines(inline.content)}
        </a>
      );
  }
}
