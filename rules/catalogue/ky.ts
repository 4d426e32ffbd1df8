import type { Library } from "./vocabulary.js";

const writes = ["KyInstance.post", "KyInstance.put", "KyInstance.patch", "KyInstance.delete"] as const;

export const ky: Library = {
  name: "ky",
  packages: ["ky"],
  values: { KyInstance: ["default", "ky", "KyInstance.create()", "KyInstance.extend()"] },
  effects: [
    { member: [...writes, "KyInstance.()", "ky", "default"], kind: "http" },
    { member: ["KyInstance.get", "KyInstance.head"], kind: "http", reads: true },
  ],
  keys: [
    {
      member: [...writes, "KyInstance.()", "ky", "default"],
      slot: { argument: 1, path: "headers.Idempotency-Key" },
      role: "idempotency",
    },
  ],
};
