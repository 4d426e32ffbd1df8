import type { Library } from "./vocabulary.js";

const recordExists = "while the workflow's record exists";
const untilFinished = "while the workflow waits or runs";

/** Steps are recorded; the code of a workflow between them runs again on recovery. */
export const dbos: Library = {
  name: "DBOS Transact",
  packages: ["@dbos-inc/dbos-sdk"],
  values: { DBOSClient: "DBOSClient.create()" },
  dispatches: [
    { member: "DBOS.startWorkflow", to: "workflow", sentByCallOfResult: true },
    {
      member: ["DBOS.enqueueWorkflowWithOptions", "DBOS.enqueueWorkflowWithOptionsPortable"],
      to: "workflow",
      payload: { argument: 1 },
    },
    { member: "DBOS.send", to: "workflow", payload: { argument: 1 } },
    {
      member: "DBOSClient.send",
      to: "workflow",
      payload: { argument: 1 },
      joinsAs: "client.sendInTransaction(transaction, …)",
    },
    {
      member: "DBOSClient.enqueue",
      to: "workflow",
      payload: { argument: 1 },
      joinsAs: "client.enqueueInTransaction(transaction, …)",
    },
    {
      member: "DBOSClient.enqueuePortable",
      to: "workflow",
      payload: { argument: 1 },
      joinsAs: "client.enqueuePortableInTransaction(transaction, …)",
    },
    {
      member: [
        "DBOSClient.enqueueInTransaction",
        "DBOSClient.enqueuePortableInTransaction",
        "DBOSClient.sendInTransaction",
      ],
      to: "workflow",
      payload: { argument: 2 },
      joins: { argument: 0 },
    },
    { member: ["Debouncer.debounce", "DebouncerClient.debounce"], to: "workflow", payload: { argument: 2 } },
    {
      member: ["DBOS.resumeWorkflow", "DBOS.forkWorkflow", "DBOSClient.resumeWorkflow", "DBOSClient.forkWorkflow"],
      to: "workflow",
    },
  ],
  handlers: [
    { registeredBy: "DBOS.registerWorkflow", handler: { argument: 0 } },
    { methodDecorator: "@DBOS.workflow" },
  ],
  identities: [
    {
      property: "DBOS.workflowID",
      stableOver: "retries",
      chosenBy: [
        { member: "DBOS.startWorkflow", slot: { argument: 1, path: "workflowID" } },
        { member: "DBOSClient.enqueue", slot: { argument: 0, path: "workflowID" } },
      ],
    },
  ],
  keys: [
    { member: "DBOS.startWorkflow", slot: { argument: 1, path: "workflowID" }, role: "dedup", holds: recordExists },
    {
      member: "DBOS.startWorkflow",
      slot: { argument: 1, path: "enqueueOptions.deduplicationID" },
      role: "dedup",
      holds: untilFinished,
    },
    {
      member: ["DBOS.enqueueWorkflowWithOptions", "DBOSClient.enqueue", "DBOSClient.enqueuePortable"],
      slot: { argument: 0, path: "workflowID" },
      role: "dedup",
      holds: recordExists,
    },
    {
      member: ["DBOS.enqueueWorkflowWithOptions", "DBOSClient.enqueue", "DBOSClient.enqueuePortable"],
      slot: { argument: 0, path: "deduplicationID" },
      role: "dedup",
      holds: untilFinished,
    },
    {
      member: ["DBOSClient.enqueueInTransaction", "DBOSClient.enqueuePortableInTransaction"],
      slot: { argument: 1, path: "workflowID" },
      role: "dedup",
      holds: recordExists,
    },
    {
      member: ["DBOSClient.enqueueInTransaction", "DBOSClient.enqueuePortableInTransaction"],
      slot: { argument: 1, path: "deduplicationID" },
      role: "dedup",
      holds: untilFinished,
    },
    { member: ["DBOS.send", "DBOSClient.send"], slot: { argument: 3 }, role: "dedup", holds: recordExists },
    { member: "DBOSClient.sendInTransaction", slot: { argument: 4 }, role: "dedup", holds: recordExists },
    {
      member: ["Debouncer.debounce", "DebouncerClient.debounce"],
      slot: { argument: 0 },
      role: "dedup",
      holds: "for the debounce time",
    },
  ],
  replaySafe: ["DBOS.randomUUID", "DBOS.now"],
  memoised: [{ member: ["DBOS.runStep", "DBOS.registerStep"], callback: 0 }],
  leases: [
    {
      id: "P34",
      settings: "`timeoutMS`",
      because: "there is no lease: a recovery runs pending workflows again",
    },
  ],
};
