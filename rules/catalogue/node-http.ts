import type { Library } from "./vocabulary.js";

export const nodeHttp: Library = {
  name: "node:http and node:https",
  packages: ["node:http", "node:https", "@types/node"],
  effects: [
    { member: "request", kind: "http" },
    { member: "get", kind: "http", reads: true },
  ],
};
