import { defineConfig, type Plugin } from "vite";

import { buildLanguages } from "./languages.ts";

const FIRST =
  /node_modules\/preact|preload-helper|sdk\/(beat|numbers)|src\/(api\/(boards|client|generated)|components\/(board\/(hero|table|toolbar)|controls|icons|layout|lazy|marks|states|tables|values)|hooks\/(?!draft|follow|hold|places|request|storage)|languages\/say|large\/remote|lib\/(format|route|schedule|board\/(limits|shape|table|view|window))|pages\/board)/;

// A lazy part and the files that it imports are asked for at once. Vite’s own program for that is 0.8 KB longer: it also
// loads style sheets.
const shortPreload: Plugin = {
  name: "short-preload",
  enforce: "pre",
  load: {
    filter: { id: /vite\/preload-helper/ },
    handler: () => `export const __vitePreload = (load, files) => {
      for (const file of files) import(/* @vite-ignore */ "/" + file).catch(() => {});
      return load();
    };`,
  },
};

export default defineConfig({
  plugins: [shortPreload, buildLanguages()],
  // The classic runtime gives a smaller build from the same sources.
  oxc: {
    jsx: { runtime: "classic", pragma: "h", pragmaFrag: "Fragment" },
    jsxInject: `import { h, Fragment } from "preact"`,
  },
  build: {
    target: "es2023",
    cssTarget: ["chrome123", "firefox128", "safari17.5"],
    // The site’s CSP forbids inline images.
    assetsInlineLimit: 0,
    // The pages that are shared most have no HTML of their own, so they ask for all of their files at once.
    modulePreload: {
      polyfill: false,
      resolveDependencies: (file, needed, { hostType }) =>
        hostType === "html"
          ? needed
          : needed.filter((name) => /(player|submission)-/.test(file) && name !== file && !name.includes("first-")),
    },
    // One style sheet, which no lazy part loads again.
    cssCodeSplit: false,
    reportCompressedSize: false,
    rolldownOptions: {
      output: {
        // Pages that were written long ago name what is in this folder, so every build has it under the same names.
        // There is one script, which names the others by their hashes: no two of different builds ever meet.
        entryFileNames: "app/main.js",
        chunkFileNames: "assets/[name]-[hash:6].js",
        assetFileNames: ({ names }) => (names[0]?.endsWith(".css") ? "app/style.css" : "assets/[name]-[hash][extname]"),
        codeSplitting: {
          groups: [
            // What the board needs first, in one file: it is smaller than many.
            { name: "first", test: FIRST },
            // Small parts that several pages share, in a few files: one of its own costs each 0.2 KB or more.
            {
              name: "shared",
              test: /src\/(components\/(submission\/awaited|board\/banners|fields|scores|table_head|player_name|facts|tabs|submission\/credential_form)|hooks\/(draft|follow|hold|request|storage)|lib\/(board\/(fold|guests|paths)|ranks|checks|download|outcome)|api\/(submissions|views))/,
            },
            {
              name: "standing",
              test: /src\/(components\/(player\/(places|share)|board\/badge)|api\/rows|hooks\/places|charts\/(frame|over_time)|lib\/shapes)/,
            },
            // What a board shows after its table.
            {
              name: "after",
              test: /src\/(components\/board\/(about|board_tabs|comparison_bar|corrections|empty|extras|own_place|side|tools|window_bar)|charts\/(charts|compare|distribution|picks|tradeoff))/,
            },
            {
              name: "forms",
              test: /src\/(pages\/submit\b|components\/submission\/(submit_form|sending|same_name|tries_left|file_preview|preview|player_key)|lib\/(batch|file_formats|samples))/,
            },
            { name: "detail", test: /src\/(components\/submission\/(withdrawal|detail)|api\/withdrawals)/ },
            // Who joins by a link, and who hands in many results at once.
            { name: "joined", test: /src\/(pages\/(join|tokens)|components\/(joining|owners\/invitations))/ },
            { name: "batch", test: /src\/components\/batch/ },
            { name: "owned", test: /src\/(pages\/owners|components\/owners|api\/owners)/ },
            { name: "sent", test: /src\/api\/(batches|joining)/ },
            // Pages that few visit.
            { name: "about", test: /src\/(pages\/(about|api|guide|missing)|lib\/openapi)/ },
            { name: "asked", test: /src\/(lib\/board\/(csv|select)|api\/csv|large\/files)/ },
            { name: "times", test: /src\/(lib\/board\/instances|api\/other_boards)/ },
            { name: "large", test: /src\/(lib\/board\/pages|api\/pages|large\/rows|lib\/board\/exact)/ },
            { name: "prose", test: /src\/(components\/prose|lib\/html)/ },
          ],
          includeDependenciesRecursively: false,
        },
      },
    },
  },
  // `npm run dev` beside `make run`.
  server: { proxy: { "/api": "http://localhost:8000", "/data": "http://localhost:8000" } },
});
