/** Reads the HTML that the platform makes of Markdown into a tree, so that the site makes no text into HTML. */

export interface Element {
  readonly tag: string;
  /** Where a link leads; "" without. */
  readonly href: string;
  readonly content: Node[];
}

export type Node = string | Element;

const TAGS = new Set(
  ["a", "blockquote", "br", "code", "em", "h2", "h3", "h4", "hr", "li", "ol", "p", "pre", "strong"].concat(
    ["table", "tbody", "td", "th", "thead", "tr", "ul"], // of tables and lists
  ),
);
const EMPTY = new Set(["br", "hr"]);

/** Read HTML. A tag that the platform does not make is a span, and a link to no http or https URL leads nowhere. */
export function readHtml(html: string): readonly Node[] {
  const [start = "", ...pieces] = html.split("<");
  const root: Element = { tag: "div", href: "", content: [readText(start)] };
  const open = [root];
  for (const piece of pieces) {
    const end = piece.indexOf(">");
    const [name = "", href = ""] = piece.slice(0, end).split(' href="');
    if (name.startsWith("/")) {
      if (open.length > 1) open.pop();
    } else {
      const url = readText(href.slice(0, -1));
      const element = {
        tag: TAGS.has(name) ? name : "span",
        href: name === "a" && /^https?:\/\//i.test(url) ? url : "",
        content: [],
      };
      open.at(-1)?.content.push(element);
      if (!EMPTY.has(name)) open.push(element);
    }
    open.at(-1)?.content.push(readText(piece.slice(end + 1)));
  }
  return root.content;
}

/** Return the text that characters of HTML write. */
const readText = (text: string): string =>
  text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&quot;", '"').replaceAll("&amp;", "&");
