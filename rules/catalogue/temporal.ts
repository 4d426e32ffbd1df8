import type { DurationSetting, HandlerElsewhere, LeaseAnchor, LeaseCondition, Library } from "./vocabulary.js";

const whileRunning = "while the workflow runs: the id of a closed one may start again";

const proxied: LeaseAnchor = { call: ["proxyActivities", "proxyLocalActivities"] };
const activities: HandlerElsewhere = {
  memberOfResult: "Worker.create",
  slot: { argument: 0, path: "activities.*" },
};
/** No second attempt can run beside the first. */
const onlyOnce: LeaseCondition = { slot: { argument: 0, path: "retry.maximumAttempts" }, is: 1 };
const attempt: DurationSetting = {
  slot: { argument: 0, path: "startToCloseTimeout" },
  unit: "ms",
  atLeast: { ms: 100, because: "a number counts milliseconds" },
};

/**
 * Workflow code is replayed in a sandbox that makes clock and random numbers deterministic, so only activities are
 * handlers here. Starting a child from a workflow is durable and no dispatch.
 */
export const temporal: Library = {
  name: "Temporal",
  packages: [
    "@temporalio/client",
    "@temporalio/common",
    "@temporalio/activity",
    "@temporalio/worker",
    "@temporalio/workflow",
  ],
  values: {
    WorkflowClient: "Client.workflow",
    ScheduleClient: "Client.schedule",
    ActivityClient: "Client.activity",
    WorkflowHandle: ["WorkflowClient.getHandle()", "WorkflowClient.start()", "WorkflowClient.signalWithStart()"],
    ScheduleHandle: ["ScheduleClient.getHandle()", "ScheduleClient.create()"],
    Context: "Context.current()",
    Info: ["activityInfo()", "Context.info"],
  },
  dispatches: [
    {
      member: ["WorkflowClient.start", "WorkflowClient.execute", "WorkflowClient.signalWithStart"],
      to: "workflow",
      payload: { argument: 1, path: "args" },
    },
    {
      member: ["WorkflowClient.startUpdateWithStart", "WorkflowClient.executeUpdateWithStart"],
      to: "workflow",
      payload: { argument: 1, path: "args" },
    },
    { member: ["BaseWorkflowHandle.signal", "WorkflowHandle.signal"], to: "workflow", payload: { argument: 1 } },
    {
      member: ["WorkflowHandle.executeUpdate", "WorkflowHandle.startUpdate"],
      to: "workflow",
      payload: { argument: 1, path: "args" },
    },
    { member: "ScheduleClient.create", to: "workflow", payload: { argument: 0, path: "action.args" } },
    { member: ["ScheduleHandle.trigger", "ScheduleHandle.backfill"], to: "workflow" },
    {
      member: [
        "ActivityClient.start",
        "ActivityClient.execute",
        "TypedActivityClient.start",
        "TypedActivityClient.execute",
      ],
      to: "workflow",
      payload: { argument: 1, path: "args" },
    },
  ],
  retriesOnThrow: true,
  terminalError: "ApplicationFailure.nonRetryable(…)",
  handlers: [
    { registeredBy: "Worker.create", handler: { argument: 0, path: "activities.*" } },
    { proxiedBy: ["proxyActivities", "proxyLocalActivities"] },
    { functionType: "ActivityFunction" },
  ],
  identities: [
    // A workflow that is retried gets another run id; an activity that is retried keeps it.
    { property: ["Info.workflowExecution.runId", "Info.activityRunId"], stableOver: "retries" },
    { property: ["Info.taskToken", "Info.base64TaskToken", "Info.attempt"], stableOver: "nothing" },
  ],
  keys: [
    {
      member: ["WorkflowClient.start", "WorkflowClient.execute", "WorkflowClient.signalWithStart"],
      slot: { argument: 1, path: "workflowId" },
      role: "dedup",
      holds: whileRunning,
    },
    {
      member: "ScheduleClient.create",
      slot: { argument: 0, path: "scheduleId" },
      role: "dedup",
      holds: "while the schedule exists",
    },
    {
      member: ["ActivityClient.start", "ActivityClient.execute"],
      slot: { argument: 1, path: "id" },
      role: "dedup",
      holds: "while the activity runs",
    },
  ],
  replaySafe: "uuid4",
  durations: [{ member: "msToNumber", reads: "ms", makes: "ms" }],
  leases: [
    {
      id: "P25",
      at: proxied,
      as: "limit",
      unless: onlyOnce,
      timeout: { handler: activities },
      lease: [attempt, { slot: { argument: 0, path: "scheduleToCloseTimeout" }, unit: "ms" }],
      consequence: "Temporal takes the attempt for failed and starts the next while the first still runs",
    },
    {
      id: "P26",
      at: proxied,
      as: "renewal",
      unless: onlyOnce,
      timeout: { handler: activities, isInterval: true },
      lease: { slot: { argument: 0, path: "heartbeatTimeout" }, unit: "ms" },
      renewedBy: "heartbeat",
      consequence: "Temporal takes the activity for dead and starts the next attempt while the first still runs",
      advice: "Call `heartbeat()` more often, or raise `heartbeatTimeout`",
    },
    {
      id: "P26",
      at: proxied,
      as: "order",
      timeout: { slot: { argument: 0, path: "heartbeatTimeout" }, unit: "ms" },
      lease: attempt,
      consequence: "the attempt is over before a missing heartbeat is noticed",
      advice: "Lower `heartbeatTimeout`, or raise `startToCloseTimeout`",
    },
  ],
};
