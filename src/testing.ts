export { guardTransactions, type EffectGuard, type EffectGuardOptions } from "./testing/effect-guard.js";
export { redeliver, type RedeliverOptions } from "./testing/redeliver.js";
export {
  EffectInTransactionError,
  InjectedFailure,
  RedeliveryError,
  type RedeliveryFinding,
} from "./testing/testing-errors.js";
