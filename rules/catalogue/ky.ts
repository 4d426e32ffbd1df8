import type { Library } from "./vocabulary.js";

const writes = ["KyInstance.post", "KyInstance.put", "KyInstance.patch", "KyInstance.delete"] as const;

const requests = [...writes, "KyInstance.get", "KyInstance.head", "KyInstance.()", "ky", "default"] as const;

export const ky: Library = {
  name: "ky",
  packages: ["ky"],
  values: { KyInstance: ["default", "ky", "KyInstance.create()", "KyInstance.extend()"] },
  effects: [
    { member: writes, kind: "http" },
    { member: ["KyInstance.()", "ky", "default"], kind: "http", method: { argument: 1, path: "method" } },
    { member: ["KyInstance.get", "KyInstance.head"], kind: "http", reads: true },
  ],
  keys: [
    {
      member: [...writes, "KyInstance.()", "ky", "default"],
      slot: { argument: 1, path: "headers.Idempotency-Key" },
      role: "idempotency",
    },
  ],
  deadlines: [
    { member: requests, slot: { argument: 1, path: "timeout" }, unit: "ms" },
    {
      member: requests,
      setBy: ["KyInstance.create", "KyInstance.extend"],
      slot: { argument: 0, path: "timeout" },
      unit: "ms",
    },
  ],
};
