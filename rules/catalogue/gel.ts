import type { Library } from "./vocabulary.js";

/** Once EdgeDB. Runs the callback again on conflicts, three times by default. */
export const gel: Library = {
  name: "Gel (EdgeDB)",
  packages: ["gel", "edgedb"],
  values: {
    Client: [
      "default()",
      "createClient()",
      "createHttpClient()",
      "Client.withConfig()",
      "Client.withGlobals()",
      "Client.withModuleAliases()",
      "Client.withRetryOptions()",
      "Client.withTransactionOptions()",
    ],
  },
  transactions: [{ open: "Client.transaction", callback: 0, handle: 0, handleType: "Transaction", reruns: true }],
  beside: { idle: ["close", "ensureConnected"] },
  handles: [
    { type: "Transaction", proves: true },
    { type: "Executor", proves: false },
  ],
  stores: [
    {
      member: ["Client", "Transaction", "Executor"].flatMap((container) =>
        ["query", "querySingle", "queryRequired", "queryRequiredSingle", "execute"].map(
          (query) => `${container}.${query}`,
        ),
      ),
      slot: { argument: 1 },
      insertsIn: 0,
    },
  ],
};
