import assert from "node:assert/strict";
import { test } from "node:test";

import { readHtml, type Node } from "../src/ui/lib/html.ts";

const show = (nodes: readonly Node[]): string =>
  nodes.map((node) => (typeof node === "string" ? node : `${node.tag}${node.href}(${show(node.content)})`)).join("");

test("tags nest, and characters are those of the text", () => {
  for (const [html, expected] of [
    ["<p>a <em>b</em><br>\nc</p>\n<hr>", "p(a em(b)br()\nc)\nhr()"],
    ['<p><a href="https://x.y/?a=1&amp;b=%22">c</a></p>', "p(ahttps://x.y/?a=1&b=%22(c))"],
    ["<pre><code>&lt;b&gt; &amp;amp; &quot;</code></pre>", 'pre(code(<b> &amp; "))'],
    ["1 &lt; 2", "1 < 2"],
    ["", ""],
  ] as const) {
    assert.equal(show(readHtml(html)), expected);
  }
});

test("other tags are spans, other attributes are lost, and links lead to http and https", () => {
  for (const [html, expected] of [
    ["<script>x</script>", "span(x)"],
    ["<img src=x onerror=y>z", "span(z)"],
    ['<p onclick="x">y</p>', "span(y)"],
    ['<a href="javascript:x">y</a>', "a(y)"],
    ['<a href=" https://x.y">y</a>', "a(y)"],
    ['<a href="HTTPS://x.y" onclick="z">y</a>', 'aHTTPS://x.y" onclick="z(y)'],
  ] as const) {
    assert.equal(show(readHtml(html)), expected);
  }
});

test("whatever is no HTML is a tree all the same", () => {
  for (const [html, expected] of [
    ["</p></p>a", "a"],
    ["<p>a", "p(a)"],
    ["<", "span()"],
    ["a<p", "aspan(p)"],
    ["<p><p></p>", "p(p())"],
  ] as const) {
    assert.equal(show(readHtml(html)), expected, html);
  }
});
