import { defineConfig, type Plugin } from "vite";

import { buildLanguages } from "./languages.ts";

const FIRST =
  /node_modules\/preact|preload-helper|sdk\/(beat|numbers)|src\/(api\/(client|generated|view)|boards\/(hero|page|podium|requests\/(boards|large_remote)|rows\/(row|shape)|table\/(board_table|marks|table|toolbar|use_moves|use_selection)|use_board|use_boards)|languages\/say|ui\/(controls|hooks\/(browser|navigation|polling)|icons|layout|lazy|lib\/(format|hash|route|schedule)|states|tables|values))\b/;

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
          : needed.filter(
              (name) => /(player|submission)_page-/.test(file) && name !== file && !name.includes("first-"),
            ),
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
              test: /sdk\/names|src\/(api\/views|boards\/(banners|beside\/race|rows\/ranks|use_follow)|submissions\/(outcomes|requests)|ui\/(facts|forms|hooks\/(hold|storage)|lib\/(checks|download|fold|guests|ordinal|paths)|player_name|scores|table_head|tabs))\b/,
            },
            {
              name: "standing",
              test: /src\/(boards\/(badge|beside\/ranks_over_time|ladder|requests\/(other_boards|rows)|rows\/instances|use_places)|charts\/(frame|over_time|ranks|shapes|track)|ui\/share)\b/,
            },
            // What a board shows after its table.
            { name: "after", test: /src\/(boards\/(beside|extras|table\/(comparison_bar|empty|own_place|tools)))\b/ },
            { name: "forms", test: /src\/(batches\/(files|form|report)|submissions\/submit|ui\/lib\/file_formats)\b/ },
            { name: "detail", test: /src\/submissions\/(detail|withdrawal)/ },
            // Who joins by a link, and who hands in many results at once.
            { name: "joined", test: /src\/players\/(invitations|join_page|links|mail_form|tokens_page)/ },
            { name: "owned", test: /src\/benchmarks\/(owners|requests)/ },
            { name: "sent", test: /src\/(batches|players)\/requests/ },
            // Pages that few visit.
            { name: "about", test: /src\/guides\/\w+\.ts/ },
            {
              name: "large",
              test: /src\/boards\/((requests|rows)\/(csv|large_rows|pages|select|window)|table\/(long_table|use_window))/,
            },
            { name: "prose", test: /src\/ui\/(lib\/html|prose)/ },
          ],
          includeDependenciesRecursively: false,
        },
      },
    },
  },
  // `npm run dev` beside `make run`.
  server: { proxy: { "/api": "http://localhost:8000", "/data": "http://localhost:8000" } },
});
