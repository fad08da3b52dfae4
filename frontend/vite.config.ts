import { basename } from "node:path";

import { minify } from "terser";
import { defineConfig, type Plugin } from "vite";

import { buildLanguages } from "./languages.ts";

const FIRST =
  /node_modules\/preact|preload-helper|sdk\/(beat|numbers)|src\/(api\/(client|generated|view)|boards\/(hero|page|podium|requests\/boards|rows\/(row|shape)|table\/(board_table|marks|table|toolbar|use_moves|use_selection)|use_board|use_boards)|languages\/say|ui\/(controls|hooks\/(browser|navigation|polling)|icons|layout|lazy|lib\/(format|hash|route)|states|tables|values))\b/;

// A lazy part and the files that it imports are asked for at once. Vite’s own program for that is 0.8 KB longer: it also
// loads style sheets.
const shortPreload: Plugin = {
  name: "short-preload",
  enforce: "pre",
  load: {
    filter: { id: /vite\/preload-helper/ },
    handler: () => `export const __vitePreload = (load, files) => {
      for (const file of files) import(/* @vite-ignore */ "../" + file).catch(() => {});
      return load();
    };`,
  },
};

// A lazy part in a file with others would have a file of its own, which only names the other one: one more answer to
// wait for. Here what loads the part names the other file at once, whose exports have its names too.
const direct: Plugin = {
  name: "direct",
  apply: "build",
  // A file that has the same code under other names is another file.
  augmentChunkHash: ({ modules }) => JSON.stringify(Object.values(modules).map((module) => module.renderedExports)),
  generateBundle: {
    order: "post",
    handler(_, bundle) {
      const chunks = Object.values(bundle).filter((file) => file.type === "chunk");
      for (const { code, fileName } of chunks) {
        const [, names = "", file = ""] = /^export\{(.*)\}from"\.\/(.*)";\s*$/.exec(code) ?? [];
        const owner = bundle[`assets/${file}`];
        if (owner?.type !== "chunk") continue;
        owner.code = owner.code.replace(/export\{([^}]*)\};\s*$/, (_, exports: string) => {
          const locals = new Map(splitNames(exports).map(([local, name]) => [name, local]));
          const more = splitNames(names).map(([name, given]) => `${locals.get(name)} as ${given}`);
          return `export{${exports},${more.join()}};`;
        });
        for (const chunk of chunks) chunk.code = chunk.code.replaceAll(basename(fileName), file);
        delete bundle[fileName];
      }
    },
  },
};

/** Return the names of a list as in `export{a as b,c}`, each with the name that it is given. */
const splitNames = (list: string): readonly (readonly [name: string, given: string])[] =>
  list.split(",").map((each) => {
    const [name = "", given = name] = each.split(" as ");
    return [name, given];
  });

// Vite’s minifier leaves 1 % that this one finds, and spaces in styles; names it shortens better itself.
const shorten: Plugin = {
  name: "shorten",
  apply: "build",
  renderChunk: async (code) => (await minify(code, { module: true, compress: { passes: 2 }, mangle: false })).code,
  generateBundle: {
    order: "post",
    handler(_, bundle) {
      for (const file of Object.values(bundle)) {
        if (file.fileName.endsWith(".css") && file.type === "asset") {
          file.source = String(file.source).replace(/ ?([,/]) /g, "$1");
        }
      }
    },
  },
};

// What an export takes along: `cli/exports/site.py` asks for this list.
const listFiles: Plugin = {
  name: "list-files",
  apply: "build",
  generateBundle: {
    order: "post",
    handler(_, bundle) {
      const names = Object.keys(bundle).filter((name) => !name.endsWith(".html"));
      const source = JSON.stringify([...names, "exported.html", "favicon.svg", "font/OFL.txt"]);
      this.emitFile({ type: "asset", fileName: "app/files.json", source });
    },
  },
};

export default defineConfig({
  plugins: [shortPreload, direct, shorten, buildLanguages(), listFiles],
  // An export is below any address.
  experimental: { renderBuiltUrl: (_, { hostType }) => (hostType === "css" ? { relative: true } : undefined) },
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
      checks: { bundlerTimings: false },
      input: { main: "index.html", exported: "src/exported/main.ts" },
      output: {
        // Pages that were written long ago name what is in this folder, so every build has it under the same names.
        // There is one script, which names the others by their hashes: no two of different builds ever meet.
        entryFileNames: "app/[name].js",
        chunkFileNames: "assets/[name]-[hash:6].js",
        assetFileNames: ({ names }) => (names[0]?.endsWith(".css") ? "app/style.css" : "assets/[name]-[hash][extname]"),
        codeSplitting: {
          groups: [
            // What the board needs first, in one file: it is smaller than many.
            { name: "first", test: FIRST },
            // Small parts that several pages share, in a few files: one of its own costs each 0.2 KB or more.
            {
              name: "shared",
              test: /sdk\/names|src\/(api\/views|boards\/(banners|beside\/race|rows\/ranks|use_follow)|submissions\/(outcomes|requests)|languages\/names|ui\/(facts|foot|forms|hooks\/(hold|storage)|lib\/(checks|download|fold|guests|html|ordinal|paths)|player_name|prose|scores|table_head|tabs))\b/,
            },
            {
              name: "standing",
              test: /src\/(boards\/(badge|beside\/ranks_over_time|ladder|requests\/(other_boards|rows)|rows\/instances|use_places)|charts\/(frame|shapes|track)|players\/(improvements|portrait)|submissions\/(list|table))\b/,
            },
            // What a board shows after its table.
            { name: "after", test: /src\/(boards\/(beside|extras|table\/(comparison_bar|empty|own_place|tools)))\b/ },
            {
              name: "forms",
              test: /src\/(batches\/(files|form|report)|submissions\/(submit|withdrawal)|ui\/lib\/file_formats)\b/,
            },
            { name: "face", test: /src\/ui\/(face|lib\/sign)\b/ },
            // Who joins by a link, and who hands in many results at once.
            { name: "joined", test: /src\/players\/(join_page|links|tokens_page)/ },
            { name: "owned", test: /src\/benchmarks\/owners/ },
            { name: "sent", test: /src\/(batches\/requests|ui\/lib\/(folder|zip))/ },
            // Pages that few visit.
            { name: "about", test: /src\/(guides\/\w+\.ts|boards\/chosen_page|players\/profile_page)/ },
            {
              name: "large",
              test: /src\/boards\/(requests|rows|table)\/(large_rows|long_table|pages|select|window)\b/,
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
