/**
 * Named places at which a test ends the process, or lets it hang, to see what is left behind. They do nothing unless
 * `AFTERCOMMIT_FAIL_POINT` is set when this module is loaded, and never where `NODE_ENV` is "production".
 *
 * `AFTERCOMMIT_FAIL_POINT=relay:after-send` kills the process (SIGKILL) the first time it comes there;
 * `relay:after-send#3` the third time; `relay:after-send=hang` says on standard output that it is there, and goes no
 * further.
 */

/** Every fail point, so that a test can go through all of them. */
export const failPoints = [
  "transaction:after-begin",
  "transaction:before-commit",
  "transaction:after-commit",
  "outbox:before-insert",
  "outbox:after-insert",
  "outbox:after-commit",
  "outbox:after-immediate-send",
  "relay:after-claim",
  "relay:before-send",
  "relay:after-send",
  "relay:after-mark",
  "worker:before-handler",
  "ledger:after-record",
  "effects:after-intention",
  "effects:after-call",
  "effects:after-record",
  "worker:after-handler",
] as const;

export type FailPoint = (typeof failPoints)[number];

const { AFTERCOMMIT_FAIL_POINT: wanted, NODE_ENV: environment } = process.env;
const [place = "", action = "kill"] = wanted === undefined || environment === "production" ? [] : wanted.split("=");
const [wantedName, count = "1"] = place.split("#");
let timesToPass = Number(count) - 1;

/** Resolves at once, except in a test that has asked for this point. */
export function failPoint(name: FailPoint): Promise<void> | undefined {
  if (wantedName !== name) return undefined;
  if (timesToPass > 0) {
    timesToPass -= 1;
    return undefined;
  }
  if (action === "kill") process.kill(process.pid, "SIGKILL");
  process.stdout.write(`fail point ${name}\n`);
  // The interval keeps the process alive until the test ends it.
  return new Promise(() => setInterval(() => undefined, 60_000));
}
