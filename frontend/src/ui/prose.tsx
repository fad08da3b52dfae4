/** The HTML that the platform makes of Markdown, as elements. */

import { createElement, type ComponentChildren } from "preact";

import { say } from "../languages/say.ts";
import { readHtml, type Node } from "./lib/html.ts";
import { ScrollArea } from "./tables.tsx";

const ATTRIBUTES: Readonly<Record<string, object>> = { pre: { tabIndex: 0 }, th: { scope: "col" } };

export const Prose = ({ html }: { readonly html: string }) => (
  <div class="prose" lang="">
    {readHtml(html).map(draw)}
  </div>
);

function draw(node: Node): ComponentChildren {
  if (typeof node === "string") return node;
  const content = node.content.map(draw);
  if (node.href !== "")
    return (
      <a href={node.href} rel="noreferrer nofollow">
        {content}
      </a>
    );
  const element = createElement(node.tag, ATTRIBUTES[node.tag] ?? null, ...content);
  return node.tag === "table" ? <ScrollArea label={say("Table")}>{element}</ScrollArea> : element;
}
