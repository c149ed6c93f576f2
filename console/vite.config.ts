// The bundle goes into the Python package; the server hands it out below /console/.
import { defineConfig } from "vite";

const server = "http://127.0.0.1:8700";

export default defineConfig({
  base: "/console/",
  build: {
    outDir: "../src/weft/console/static",
    emptyOutDir: true,
    assetsDir: "",
    target: "es2022",
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    reportCompressedSize: false,
  },
  server: { proxy: { "/api": server, "/agui": server, "/healthz": server } },
});
