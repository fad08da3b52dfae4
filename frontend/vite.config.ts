import { defineConfig } from "vite";

export default defineConfig({
  // Shorter than the automatic runtime, and the sources stay the same.
  oxc: {
    jsx: { runtime: "classic", pragma: "h", pragmaFrag: "Fragment" },
    jsxInject: `import { h, Fragment } from "preact"`,
  },
  build: {
    target: "es2023",
    cssTarget: ["chrome123", "firefox128", "safari17.5"],
    // No inline data: the site's CSP takes images from the site only.
    assetsInlineLimit: 0,
    // The page names what its script needs; what a page fetches later needs nothing else.
    modulePreload: {
      polyfill: false,
      resolveDependencies: (_, needed, { hostType }) => (hostType === "html" ? needed : []),
    },
    // One style sheet: no later part asks for it again.
    cssCodeSplit: false,
    reportCompressedSize: false,
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { name: "preact", test: /node_modules/ },
            { name: "drawing", test: /src\/(charts\/(frame|axes|time_axis)|lib\/shapes|hooks\/width)/ },
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
