import type { Library } from "./vocabulary.js";

export const transactionalCore: Library = {
  name: "@transactional/core",
  packages: ["@transactional/core"],
  transactions: [
    {
      open: "transactional",
      callback: 0,
      returnsFunction: true,
      outsideWhen: ["NEVER", "NOT_SUPPORTED", "SUPPORTS"],
    },
  ],
  decorators: [{ decorator: "@Transactional", outside: ["NEVER", "NOT_SUPPORTED"], unknown: "SUPPORTS" }],
};
