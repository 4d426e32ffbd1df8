import type { Library } from "./vocabulary.js";

/** Declared by TypeScript's DOM library, and again by the types of each runtime. */
export const fetchApi: Library = {
  name: "fetch",
  packages: ["typescript", "@types/node", "undici-types", "@cloudflare/workers-types", "bun-types"],
  globals: ["fetch"],
  effects: [{ member: "fetch", kind: "http", method: { argument: 1, path: "method" } }],
  keys: [{ member: "fetch", slot: { argument: 1, path: "headers.Idempotency-Key" }, role: "idempotency" }],
};
