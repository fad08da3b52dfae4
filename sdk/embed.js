/** Fills the page /embed/b/{benchmark}?board=&rows=&player=&theme=&lang=, which pages of other origins show in a frame. */

import "./laurel-board.js";

const style = new CSSStyleSheet();
style.replaceSync("body { margin: 0 } h1 { position: absolute; clip-path: inset(50%) }");
document.adoptedStyleSheets = [style];

const query = new URLSearchParams(location.search);
const board = document.createElement("laurel-board");
const benchmark = decodeURIComponent(location.pathname.split("/").filter(Boolean)[2]);
board.setAttribute("benchmark", benchmark);
for (const name of ["board", "rows", "player", "theme", "lang"]) if (query.has(name)) board.setAttribute(name, query.get(name));
const theme = query.get("theme");
if (theme === "light" || theme === "dark") document.documentElement.style.colorScheme = theme;
document.querySelector("main").append(board);

// The height of a board is no secret, so any page around this one may have it.
new ResizeObserver(() => {
  parent.postMessage({ type: "laurel-height", benchmark, height: Math.ceil(board.getBoundingClientRect().height) }, "*");
}).observe(board);
