import type { Library } from "./vocabulary.js";

/** The methods are made by a mapped type, and have only their signature as declaration. */
export const got: Library = {
  name: "got",
  packages: ["got"],
  values: { Got: ["default", "got", "Got.extend()"] },
  effects: [
    {
      member: [
        "GotRequestFunction.post",
        "GotRequestFunction.put",
        "GotRequestFunction.patch",
        "GotRequestFunction.delete",
        "Got.post",
        "Got.put",
        "Got.patch",
        "Got.delete",
        "GotRequestFunction.()",
        "Got.()",
        "got",
        "default",
      ],
      kind: "http",
    },
    { member: ["GotRequestFunction.get", "GotRequestFunction.head", "Got.get", "Got.head"], kind: "http", reads: true },
  ],
  keys: [
    {
      member: [
        "GotRequestFunction.post",
        "GotRequestFunction.put",
        "GotRequestFunction.patch",
        "GotRequestFunction.()",
        "Got.post",
        "Got.put",
        "Got.patch",
        "Got.()",
        "got",
        "default",
      ],
      slot: { argument: 1, path: "headers.Idempotency-Key" },
      role: "idempotency",
    },
  ],
};
