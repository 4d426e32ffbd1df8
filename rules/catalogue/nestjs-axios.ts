import type { Library } from "./vocabulary.js";

/** Cold Observables: the call stands for the subscription that follows it. */
export const nestjsAxios: Library = {
  name: "@nestjs/axios",
  packages: ["@nestjs/axios"],
  effects: [
    {
      member: [
        "HttpService.post",
        "HttpService.put",
        "HttpService.patch",
        "HttpService.delete",
        "HttpService.postForm",
        "HttpService.putForm",
        "HttpService.patchForm",
      ],
      kind: "http",
    },
    { member: "HttpService.request", kind: "http", method: { argument: 0, path: "method" } },
    { member: ["HttpService.get", "HttpService.head"], kind: "http", reads: true },
  ],
  keys: [
    {
      member: ["HttpService.post", "HttpService.put", "HttpService.patch"],
      slot: { argument: 2, path: "headers.Idempotency-Key" },
      role: "idempotency",
    },
    { member: "HttpService.request", slot: { argument: 0, path: "headers.Idempotency-Key" }, role: "idempotency" },
  ],
};
