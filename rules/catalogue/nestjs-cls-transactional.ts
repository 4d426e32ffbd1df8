import type { Library } from "./vocabulary.js";

/** Outside a transaction `txHost.tx` is the plain client, with the same type: it proves nothing. */
export const nestjsClsTransactional: Library = {
  name: "@nestjs-cls/transactional",
  packages: ["@nestjs-cls/transactional"],
  values: { TransactionHost: "TransactionHost.getInstance()" },
  transactions: [
    {
      open: "TransactionHost.withTransaction",
      callback: "last",
      outsideWhen: ["Never", "NotSupported", "Supports", "NEVER", "NOT_SUPPORTED", "SUPPORTS"],
    },
  ],
  decorators: [
    {
      decorator: "@Transactional",
      outside: ["Never", "NotSupported", "NEVER", "NOT_SUPPORTED"],
      unknown: ["Supports", "SUPPORTS"],
    },
  ],
  outside: [{ member: "TransactionHost.withoutTransaction", callback: 0 }],
};
