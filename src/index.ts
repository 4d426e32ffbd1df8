export type { AftercommitConfig } from "./cli/config.js";
export { defineConnection, type QueueConnection } from "./connection.js";
export { LockStoreError } from "./controls/control-context.js";
export type { ControlEvent, ControlName, OnControl } from "./controls/control-events.js";
export type {
  DebounceOptions,
  RateLimitOptions,
  ThrottleErrorsOptions,
  UniqueOptions,
  WithoutOverlappingOptions,
} from "./controls/control-options.js";
export { Lock, LockHeldError, type LockOptions } from "./controls/lock.js";
export type { ControlId } from "./controls/lock-key.js";
export type { Committed } from "./committed.js";
export { afterCommit, sameTransaction, type Delivery, type Destination, type SameTransaction } from "./delivery.js";
export {
  AfterCommitError,
  AftercommitError,
  CommitOutcomeUnknownError,
  ConfigurationError,
  InvalidKeyError,
  InvalidPayloadError,
  RolledBackError,
  TooManyJobsError,
  TransactionClosedError,
  type DataState,
  type PayloadIssue,
} from "./errors.js";
export type {
  BeginOptions,
  CommitAnswer,
  Connection,
  Database,
  Dialect,
  Executor,
  Failure,
  ForeignTransaction,
  ForeignTransactionWatcher,
  IsolationLevel,
  QueryOptions,
  QueryResult,
  StopListening,
} from "./databases/database.js";
export type { Seconds } from "./duration.js";
export { effectsDdl } from "./effects/ddl.js";
export {
  EffectNotRecordedError,
  EffectUnderWayError,
  NeedsReviewError,
  RequestChangedError,
} from "./effects/effect-errors.js";
export type { EffectRecord, EffectState, Resolution } from "./effects/effect-record.js";
export {
  createEffects,
  type Effects,
  type EffectsOptions,
  type KeyedServiceOptions,
  type ListEffectsOptions,
  type ServiceOptions,
} from "./effects/effects.js";
export {
  refused,
  type CallOf,
  type EffectOutcome,
  type KeyedService,
  type Refusal,
  type ReviewedService,
  type ServiceCallOptions,
} from "./effects/service.js";
export {
  createEvents,
  ListenersFailedError,
  type BusinessEvent,
  type EventOptions,
  type Events,
  type Listener,
  type ListenWhen,
} from "./events.js";
export { idempotencyKey, type IdempotencyKey, type KeyPart } from "./idempotency-key.js";
export type { JobId } from "./job-id.js";
export type { RowOnce } from "./insert-once.js";
export {
  createLedger,
  type ExpiredAnswer,
  type ExpiredOperation,
  type Ledger,
  type LedgerOptions,
  type OnceOptions,
} from "./ledger/ledger.js";
export { ledgerDdl } from "./ledger/ddl.js";
export { EffectMissedError, KeyReusedError, OperationTooOldError } from "./ledger/ledger-errors.js";
export type { PruneOptions } from "./ledger/retention.js";
export type { SqlEffect } from "./ledger/sql-effect.js";
export { locksDdl } from "./locks/ddl.js";
export type { LockAnswer, LockChange, LockEntry, LockStore } from "./locks/lock-store.js";
export { outboxDdl } from "./outbox/ddl.js";
export { createOutbox, type Outbox, type OutboxOptions, type PruneOutboxOptions } from "./outbox/outbox.js";
export type { OutboxBacklog, OutboxRow, RowState } from "./outbox/outbox-row.js";
export type { ListOptions } from "./outbox/outbox-administration.js";
export { createRelay, type Relay, type RelayOptions, type StopSignal } from "./outbox/relay.js";
export type { GivenUp, RelayErrorContext } from "./outbox/lane-options.js";
export type { EnqueueOptions, Queue, RepeatSafety } from "./queue.js";
export type {
  Message,
  QueuePolicy,
  Queues,
  RunningWorker,
  Settlement,
  TakenMessage,
  TransactionalQueues,
  UniqueMessage,
  WorkOptions,
} from "./queues/queues.js";
export type { Receipt } from "./receipt.js";
export type { StandardSchema } from "./standard-schema.js";
export {
  createTransactionManager,
  type RunOptions,
  type TransactionManager,
  type TransactionManagerOptions,
} from "./transaction-manager.js";
export { execute, insertOnce } from "./transaction-statements.js";
export type { Transaction } from "./transaction.js";
export {
  HandlerStuckError,
  JobTimeoutError,
  LeaseLostError,
  RetryTimeOverError,
  TriesExhaustedError,
  WorkerStoppedError,
} from "./worker/worker-errors.js";
export { postpone, type Postponement } from "./worker/postpone.js";
export { startWorker, type FailedJob, type Job, type Worker, type WorkerOptions } from "./worker/worker.js";
export { version } from "./version.js";
