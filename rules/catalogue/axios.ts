import type { Library } from "./vocabulary.js";

/** The checker finds the methods in `Axios`; annotations name what extends it. */
const ofClient = (...methods: readonly string[]) =>
  ["Axios", "AxiosInstance", "AxiosStatic"].flatMap((container) => methods.map((method) => `${container}.${method}`));

const writes = ofClient("post", "put", "patch", "postForm", "putForm", "patchForm");
const reads = ofClient("get", "head", "options");
const deletes = ofClient("delete");
const called = ["AxiosInstance.()", "AxiosStatic.()"];
const requests = [...ofClient("request"), ...called, "axios", "default"];

export const axios: Library = {
  name: "axios",
  packages: ["axios"],
  values: { AxiosInstance: ["axios", "default", "axios.create()", "AxiosStatic.create()"] },
  effects: [
    { member: [...writes, ...deletes], kind: "http" },
    {
      member: requests,
      kind: "http",
      method: [
        { argument: 0, path: "method" },
        { argument: 1, path: "method" },
      ],
    },
    { member: reads, kind: "http", reads: true },
  ],
  keys: [
    { member: writes, slot: { argument: 2, path: "headers.Idempotency-Key" }, role: "idempotency" },
    { member: deletes, slot: { argument: 1, path: "headers.Idempotency-Key" }, role: "idempotency" },
    {
      member: requests,
      slot: { argument: 0, path: "headers.Idempotency-Key" },
      role: "idempotency",
    },
    {
      member: [...called, "axios", "default"],
      slot: { argument: 1, path: "headers.Idempotency-Key" },
      role: "idempotency",
    },
  ],
  deadlines: [
    {
      member: [...reads, ...deletes],
      slot: { argument: 1, path: "timeout" },
      unit: "ms",
    },
    { member: writes, slot: { argument: 2, path: "timeout" }, unit: "ms" },
    {
      member: requests,
      slot: [
        { argument: 0, path: "timeout" },
        { argument: 1, path: "timeout" },
      ],
      unit: "ms",
    },
    {
      member: [...writes, ...reads, ...deletes, ...ofClient("request"), ...called],
      setBy: ["AxiosInstance.create", "AxiosStatic.create", "axios.create"],
      slot: { argument: 0, path: "timeout" },
      unit: "ms",
    },
  ],
};
