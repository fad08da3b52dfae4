/** Markdown as elements; there is no HTML on the way. */

import type { ComponentChildren } from "preact";

import { parseInline, type Inline } from "../lib/inlines.ts";
import { parseMarkdown, type Block } from "../lib/markdown.ts";

/** Shows a text whose headings stand below a heading of the page. */
export const Prose = ({ text }: { readonly text: string }) => (
  <div class="prose">{parseMarkdown(text).map(showBlock)}</div>
);

function showBlock(block: Block): ComponentChildren {
  switch (block.kind) {
    case "heading":
      return block.level <= 2 ? <h3>{showInlines(block.content)}</h3> : <h4>{showInlines(block.content)}</h4>;
    case "paragraph":
      return <p>{showInlines(block.content)}</p>;
    case "code":
      return (
        <pre tabIndex={0}>
          <code>{block.text}</code>
        </pre>
      );
    case "quote":
      return <blockquote>{block.blocks.map(showBlock)}</blockquote>;
    case "list": {
      const items = block.items.map((item, index) => <li key={index}>{showItem(item)}</li>);
      return block.ordered ? <ol>{items}</ol> : <ul>{items}</ul>;
    }
    case "table":
      return (
        <div class="scroller" tabIndex={0} role="group" aria-label="Table">
          <table>
            <thead>
              <tr>
                {block.head.map((cell, index) => (
                  <th key={index} scope="col">
                    {showInlines(cell)}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {block.rows.map((row, index) => (
                <tr key={index}>
                  {row.map((cell, column) => (
                    <td key={column}>{showInlines(cell)}</td>
                  ))}
                  {row.length < block.head.length && <td colSpan={block.head.length - row.length} />}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      );
    case "rule":
      return <hr />;
  }
}

/** A lone paragraph of an item stands without space around it. */
function showItem(item: readonly Block[]): ComponentChildren {
  return item.map((block, index) =>
    index === 0 && block.kind === "paragraph" ? showInlines(block.content) : showBlock(block),
  );
}

/** Shows what stands in a line. */
export const Inlines = ({ text }: { readonly text: string }) => <>{showInlines(parseInline(text))}</>;

const showInlines = (content: readonly Inline[]): ComponentChildren => content.map(showInline);

function showInline(inline: Inline): ComponentChildren {
  switch (inline.kind) {
    case "text":
      return inline.text;
    case "code":
      return <code>{inline.text}</code>;
    case "strong":
      return <strong>{showInlines(inline.content)}</strong>;
    case "emphasis":
      return <em>{showInlines(inline.content)}</em>;
    case "link":
      return (
        <a href={inline.url} rel="noreferrer nofollow">
          {showInlines(inline.content)}
        </a>
      );
  }
}
