/** Markdown as elements, without HTML in between. */

import type { ComponentChildren } from "preact";

import { say } from "../languages/say.ts";
import { parseInline, type Inline } from "../lib/inlines.ts";
import { parseMarkdown, type Block } from "../lib/markdown.ts";
import { TableHead } from "./table_head.tsx";
import { ScrollArea } from "./tables.tsx";

/** A Markdown text. Its headings are below the page's headings. */
export const Markdown = ({ text }: { readonly text: string }) => (
  <div class="prose" lang="">
    {parseMarkdown(text).map(renderBlock)}
  </div>
);

function renderBlock(block: Block): ComponentChildren {
  switch (block.kind) {
    case "heading":
      return block.level <= 2 ? <h3>{renderInlines(block.content)}</h3> : <h4>{renderInlines(block.content)}</h4>;
    case "paragraph":
      return <p>{renderInlines(block.content)}</p>;
    case "code":
      return (
        <pre tabIndex={0}>
          <code>{block.text}</code>
        </pre>
      );
    case "quote":
      return <blockquote>{block.blocks.map(renderBlock)}</blockquote>;
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
