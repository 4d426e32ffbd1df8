import type { Library } from "./vocabulary.js";

const writes = [
  "Axios.post",
  "Axios.put",
  "Axios.patch",
  "Axios.postForm",
  "Axios.putForm",
  "Axios.patchForm",
] as const;

export const axios: Library = {
  name: "axios",
  packages: ["axios"],
  values: { Axios: ["axios", "default", "axios.create()", "AxiosStatic.create()"] },
  effects: [
    {
      member: [...writes, "Axios.delete", "Axios.request", "AxiosInstance.()", "axios", "default"],
      kind: "http",
    },
    { member: ["Axios.get", "Axios.head", "Axios.options"], kind: "http", reads: true },
  ],
  keys: [
    { member: writes, slot: { argument: 2, path: "headers.Idempotency-Key" }, role: "idempotency" },
    { member: "Axios.delete", slot: { argument: 1, path: "headers.Idempotency-Key" }, role: "idempotency" },
    {
      member: ["Axios.request", "AxiosInstance.()", "axios", "default"],
      slot: { argument: 0, path: "headers.Idempotency-Key" },
      role: "idempotency",
    },
    {
      member: ["AxiosInstance.()", "axios", "default"],
      slot: { argument: 1, path: "headers.Idempotency-Key" },
      role: "idempotency",
    },
  ],
  deadlines: [
    {
      member: ["Axios.get", "Axios.delete", "Axios.head", "Axios.options"],
      slot: { argument: 1, path: "timeout" },
      unit: "ms",
    },
    { member: writes, slot: { argument: 2, path: "timeout" }, unit: "ms" },
    {
      member: ["Axios.request", "AxiosInstance.()", "axios", "default"],
      slot: [
        { argument: 0, path: "timeout" },
        { argument: 1, path: "timeout" },
      ],
      unit: "ms",
    },
    {
      member: [
        ...writes,
        "Axios.get",
        "Axios.delete",
        "Axios.head",
        "Axios.options",
        "Axios.request",
        "AxiosInstance.()",
      ],
      setBy: ["AxiosStatic.create", "axios.create"],
      slot: { argument: 0, path: "timeout" },
      unit: "ms",
    },
  ],
};
