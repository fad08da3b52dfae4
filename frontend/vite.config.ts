import { defineConfig } from "vite";

export default defineConfig({
  build: {
    target: "es2023",
    // No inline data: the site's CSP takes images from the site only.
    assetsInlineLimit: 0,
    // The page names what its script needs; what a page fetches later needs nothing else.
    modulePreload: { polyfill: false, resolveDependencies: (_, needed, { hostType }) => (hostType === "html" ? needed : []) },
    reportCompressedSize: false,
  },
  // `npm run dev` beside `make run`.
  server: { proxy: { "/api": "http://localhost:8000", "/data": "http://localhost:8000" } },
});
