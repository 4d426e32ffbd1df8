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
  values: { Axios: ["axios", "default", "axios.create()", "AxiosStatic.create()", "Axios.create()"] },
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
};
