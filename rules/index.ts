import type { ESLint, Linter, Rule } from "eslint";

import { configsOf } from "./configs.js";
import { noCheckThenInsert } from "./no-check-then-insert.js";
import { noClockDayInHandler } from "./no-clock-day-in-handler.js";
import { noDispatchInTransaction } from "./no-dispatch-in-transaction.js";
import { noEffectInRetriedTransaction } from "./no-effect-in-retried-transaction.js";
import { noExternalEffectInTransaction } from "./no-external-effect-in-transaction.js";
import { noFloatingWorkInTransaction } from "./no-floating-work-in-transaction.js";
import { noInsertIgnore } from "./no-insert-ignore.js";
import { noJobIdAsIdempotencyKey } from "./no-job-id-as-idempotency-key.js";
import { noOuterClientInTransaction } from "./no-outer-client-in-transaction.js";
import { noLockAsGuarantee } from "./no-lock-as-guarantee.js";
import { noParallelQueriesInTransaction } from "./no-parallel-queries-in-transaction.js";
import { noRandomIdInHandler } from "./no-random-id-in-handler.js";
import { noRollbackAfterCommit } from "./no-rollback-after-commit.js";
import { noSwallowedJobError } from "./no-swallowed-job-error.js";
import { noTransactionOnPool } from "./no-transaction-on-pool.js";
import { noUnreliableCommitSignal } from "./no-unreliable-commit-signal.js";
import { noUnstableDedupKey } from "./no-unstable-dedup-key.js";
import { preferTransactionalEnqueue } from "./prefer-transactional-enqueue.js";
import { requireTimeoutBelowRetryAfter } from "./require-timeout-below-retry-after.js";
import { version } from "./version.js";

type Plugin = ESLint.Plugin & {
  rules: Record<string, Rule.RuleModule>;
  configs: Record<"recommended" | "strict" | "all", Linter.Config>;
};

const rules = {
  "no-check-then-insert": noCheckThenInsert,
  "no-clock-day-in-handler": noClockDayInHandler,
  "no-dispatch-in-transaction": noDispatchInTransaction,
  "no-effect-in-retried-transaction": noEffectInRetriedTransaction,
  "no-external-effect-in-transaction": noExternalEffectInTransaction,
  "no-floating-work-in-transaction": noFloatingWorkInTransaction,
  "no-insert-ignore": noInsertIgnore,
  "no-job-id-as-idempotency-key": noJobIdAsIdempotencyKey,
  "no-outer-client-in-transaction": noOuterClientInTransaction,
  "no-lock-as-guarantee": noLockAsGuarantee,
  "no-parallel-queries-in-transaction": noParallelQueriesInTransaction,
  "no-random-id-in-handler": noRandomIdInHandler,
  "no-rollback-after-commit": noRollbackAfterCommit,
  "no-swallowed-job-error": noSwallowedJobError,
  "no-transaction-on-pool": noTransactionOnPool,
  "no-unreliable-commit-signal": noUnreliableCommitSignal,
  "no-unstable-dedup-key": noUnstableDedupKey,
  "prefer-transactional-enqueue": preferTransactionalEnqueue,
  "require-timeout-below-retry-after": requireTimeoutBelowRetryAfter,
} as unknown as Record<string, Rule.RuleModule>;

/** Finds the mistakes that make a job run for rows that do not exist, or its effect happen twice. */
const plugin: Plugin = {
  meta: { name: "eslint-plugin-aftercommit", version, namespace: "aftercommit" },
  rules,
  configs: configsOf(() => plugin, rules),
};

export default plugin;
// What `require("eslint-plugin-aftercommit")` returns.
export { plugin as "module.exports" };
