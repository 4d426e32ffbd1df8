import type { Library } from "./vocabulary.js";

const requests = [
  "GotRequestFunction.get",
  "GotRequestFunction.head",
  "GotRequestFunction.post",
  "GotRequestFunction.put",
  "GotRequestFunction.patch",
  "GotRequestFunction.delete",
  "GotRequestFunction.()",
  "Got.get",
  "Got.head",
  "Got.post",
  "Got.put",
  "Got.patch",
  "Got.delete",
  "Got.()",
  "got",
  "default",
] as const;

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
      ],
      kind: "http",
    },
    {
      member: ["GotRequestFunction.()", "Got.()", "got", "default"],
      kind: "http",
      method: [
        { argument: 0, path: "method" },
        { argument: 1, path: "method" },
      ],
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
  deadlines: [
    { member: requests, slot: { argument: 1, path: "timeout.request" }, unit: "ms" },
    { member: requests, slot: { argument: 0, path: "timeout.request" }, unit: "ms" },
    { member: requests, setBy: "Got.extend", slot: { argument: 0, path: "timeout.request" }, unit: "ms" },
  ],
};
