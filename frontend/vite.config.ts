import { defineConfig } from "vite";

export default defineConfig({
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
    // Only the HTML page preloads modules; lazy parts need no more than what is already loaded.
    modulePreload: {
      polyfill: false,
      resolveDependencies: (_, needed, { hostType }) => (hostType === "html" ? needed : []),
    },
    // One style sheet, which no lazy part loads again.
    cssCodeSplit: false,
    reportCompressedSize: false,
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { name: "preact", test: /node_modules/ },
            { name: "drawing", test: /src\/(charts\/(frame|over_time)|lib\/shapes)/ },
            { name: "markdown", test: /src\/(components\/markdown|lib\/(markdown|inlines))/ },
          ],
          includeDependenciesRecursively: false,
        },
      },
    },
  },
  // `npm run dev` beside `make run`.
  server: { proxy: { "/api": "http://localhost:8000", "/data": "http://localhost:8000" } },
});
