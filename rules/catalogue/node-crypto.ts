import type { Library } from "./vocabulary.js";

/** The module, and the Web Crypto global that browsers and runtimes share. */
export const nodeCrypto: Library = {
  name: "node:crypto and Web Crypto",
  packages: ["node:crypto", "@types/node", "typescript"],
  globals: ["crypto"],
  values: { Crypto: ["crypto", "webcrypto"] },
  randoms: [
    { member: ["randomUUID", "Crypto.randomUUID"], makes: "random UUID" },
    { member: "randomUUIDv7", makes: "random UUID" },
    { member: ["randomBytes", "pseudoRandomBytes"], makes: "random bytes" },
    { member: "randomInt", makes: "random number" },
    { member: "Crypto.getRandomValues", makes: "random bytes" },
  ],
};
