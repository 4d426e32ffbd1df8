import type { Library } from "./vocabulary.js";

export const nodeHttp: Library = {
  name: "node:http and node:https",
  packages: ["node:http", "node:https", "@types/node"],
  effects: [
    {
      member: "request",
      kind: "http",
      method: [
        { argument: 0, path: "method" },
        { argument: 1, path: "method" },
      ],
    },
    { member: "get", kind: "http", reads: true },
  ],
};
