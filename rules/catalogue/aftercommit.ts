import type { KeySlot, Library } from "./vocabulary.js";

/** Each part of a key after the operation's name. */
const part = (argument: number): KeySlot => ({ member: "idempotencyKey", slot: { argument }, role: "idempotency" });

/**
 * The runtime of this project. `enqueue` belongs to the transaction that it is given; `dispatch` takes what was committed,
 * and waits for the outermost commit where that is still to come.
 */
export const aftercommit: Library = {
  name: "aftercommit",
  packages: ["aftercommit"],
  values: {
    TransactionManager: "createTransactionManager()",
    QueueConnection: "defineConnection()",
    Queue: "QueueConnection.queue()",
    Effects: "createEffects()",
    ServiceBase: "Effects.service()",
  },
  dispatches: [
    { member: "Queue.enqueue", to: "queue", payload: { argument: 1 }, joins: { argument: 0 } },
    { member: "Queue.dispatch", to: "queue", payload: { argument: 0 }, joins: { argument: 0 } },
  ],
  handlers: [{ registeredBy: "startWorker", handler: { argument: 1 }, job: 0 }, { parameterType: "Job" }],
  effects: [{ member: "ServiceBase.call", kind: "http" }],
  identities: [{ property: "Job.id", stableOver: "retries" }],
  keys: [
    part(1),
    part(2),
    part(3),
    part(4),
    {
      member: "QueueConnection.queue",
      slot: { argument: 1, path: "unique.id" },
      role: "dedup",
      holds: "while one like it waits or runs",
    },
  ],
  transactions: [
    {
      open: "TransactionManager.run",
      callback: 0,
      handle: 0,
      handleType: "Transaction",
      reruns: { argument: 1, path: "attempts", above: 1 },
    },
    { open: "Transaction.savepoint", callback: 0, handle: 0, handleType: "Transaction" },
  ],
  handles: [{ type: "Transaction", proves: true }],
  afterCommit: [{ member: ["Transaction.afterCommit", "TransactionManager.afterCommit"], callback: 0 }],
};
