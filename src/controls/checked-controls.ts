import { requireSeconds } from "../duration.js";
import { ConfigurationError } from "../errors.js";
import type { ControlOptions } from "./control-options.js";

/** Checks what types cannot, or were not asked. @throws ConfigurationError */
export function checkedControls<Payload>(
  options: ControlOptions<Payload>,
  { name, timeout }: { readonly name: string; readonly timeout: number },
): ControlOptions<Payload> {
  const { unique, debounce, withoutOverlapping, rateLimit, throttleErrors } = options;
  const wrong = (what: string) => new ConfigurationError(`Queue ${JSON.stringify(name)}: ${what}`);
  if (unique !== undefined && debounce !== undefined) {
    throw wrong("it is unique or debounced, not both: unique drops the later jobs, debounce the earlier ones.");
  }
  const limits = [rateLimit ?? []].flat();
  for (const control of [unique, debounce, withoutOverlapping, throttleErrors, ...limits]) {
    if (control === undefined) continue;
    if (typeof control.id !== "function") throw wrong("every control needs `id`, a function of the payload.");
    if (!["open", "closed", undefined].includes(control.ifStoreFails)) {
      throw wrong('`ifStoreFails` must be "open" or "closed".');
    }
  }
  const seconds = (value: unknown, what: string) => requireSeconds(value, `\`${what}\` of queue "${name}"`);
  const count = (value: unknown, what: string) => {
    if (!Number.isInteger(value) || Number(value) < 1) throw wrong(`\`${what}\` must be a whole number from 1.`);
  };
  if (unique !== undefined) {
    seconds(unique.for, "unique.for");
    if (!["processed", "processing", undefined].includes(unique.until)) {
      throw wrong('`unique.until` must be "processed" or "processing".');
    }
  }
  if (debounce !== undefined) {
    seconds(debounce.for, "debounce.for");
    const { maxWait = debounce.for } = debounce;
    if (seconds(maxWait, "debounce.maxWait") < debounce.for) {
      throw wrong(`\`debounce.maxWait\` (${maxWait}) must be at least \`debounce.for\` (${debounce.for}).`);
    }
  }
  if (withoutOverlapping !== undefined) {
    const { for: lives, otherwise } = withoutOverlapping;
    if (seconds(lives, "withoutOverlapping.for") <= timeout) {
      throw wrong(
        `\`withoutOverlapping.for\` (${lives}) must be above the timeout (${timeout}), or the lock ends while the job runs.`,
      );
    }
    if (otherwise !== "skip" && otherwise !== undefined) seconds(otherwise, "withoutOverlapping.otherwise");
  }
  for (const { limit, per, otherwise } of limits) {
    count(limit, "rateLimit.limit");
    seconds(per, "rateLimit.per");
    if (otherwise !== "skip" && otherwise !== undefined) seconds(otherwise, "rateLimit.otherwise");
  }
  if (throttleErrors !== undefined) {
    count(throttleErrors.after, "throttleErrors.after");
    seconds(throttleErrors.within, "throttleErrors.within");
  }
  return options;
}
