import type { EffectRecord, Resolution } from "../../effects/effect-record.js";
import { numberOf, textOf, UsageError, type Call, type Command } from "../command.js";
import { effectsOf } from "../config.js";

const states: readonly string[] = ["review", "intended", "done", "refused", "unknown", "not-sent"];
const resolutions: readonly string[] = ["done", "refused", "not-sent"];

export const reviewList: Command = {
  name: "review list",
  usage: "[--state review|intended|done|refused|unknown|not-sent] [--service <name>] [--limit <number>]",
  summary: "lists operations of other services of which nobody knows whether they were done",
  details: `  --state    review (what waits for a person, the default) or a state of the record
  --service  only those of one service
  --limit    how many at most (default 100)`,
  options: { state: { type: "string" }, service: { type: "string" }, limit: { type: "string" } },
  async run(call) {
    const state = textOf(call, "state") ?? "review";
    if (!states.includes(state)) throw new UsageError(`there is no state "${state}"; give ${states.join(", ")}`);
    const service = textOf(call, "service");
    const limit = numberOf(call, "limit");
    const records = await effectsOf(await call.config()).list({
      state: stateOf(state),
      ...(service === undefined ? {} : { service }),
      ...(limit === undefined ? {} : { limit }),
    });
    return { text: records.length === 0 ? "none\n" : records.map(lineOf).join(""), data: records };
  },
};

export const reviewResolve: Command = {
  name: "review resolve",
  usage: "<key>… --as done|refused|not-sent [--result <json>] [--reason <text>] [--note <text>]",
  summary: "writes down what you have found out about operations that wait for review",
  details: `The next run of the job gets it as the service's answer. Run the job again yourself (\`outbox requeue\`, your queue's tools).
Exit code 1 when one of the keys did not wait for review; the others are resolved.

  --as      done: it has happened; refused: it has not, and shall not; not-sent: it has not, and may be asked for again
  --result  with done: what the handler is to get as the service's answer, in JSON (default: nothing)
  --reason  with refused: what the handler is to get as the service's reason
  --note    for people: who has found it out, and where`,
  options: { as: { type: "string" }, result: { type: "string" }, reason: { type: "string" }, note: { type: "string" } },
  async run(call) {
    if (call.positionals.length === 0) throw new UsageError("give the keys of the operations");
    const resolution = resolutionOf(call);
    const effects = effectsOf(await call.config());
    const resolved: string[] = [];
    const others: string[] = [];
    for (const key of call.positionals) ((await effects.resolve(key, resolution)) ? resolved : others).push(key);
    const left = others.map((key) => `not waiting for review: ${key}\n`).join("");
    return {
      text: `${resolved.length} resolved\n${left}`,
      data: { resolved, notWaiting: others },
      exitCode: others.length === 0 ? 0 : 1,
    };
  },
};

function resolutionOf(call: Call): Resolution {
  const as = textOf(call, "as");
  const [result, reason, note] = [textOf(call, "result"), textOf(call, "reason"), textOf(call, "note")];
  if (as === undefined || !resolutions.includes(as)) {
    const given = as === undefined ? "--as is missing" : `nothing is resolved as "${as}"`;
    throw new UsageError(`${given}; give ${resolutions.join(", ")}`);
  }
  if (result !== undefined && as !== "done") throw new UsageError("--result goes with --as done");
  if ((reason !== undefined) !== (as === "refused"))
    throw new UsageError("--reason goes with --as refused, and it with it");
  const noted = note === undefined ? {} : { note };
  if (as === "refused") return { as, reason: reason ?? "", ...noted };
  if (as === "not-sent") return { as: "not sent", ...noted };
  return { as: "done", ...(result === undefined ? {} : { result: parsed(result) }), ...noted };
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    throw new UsageError(`--result must be JSON, not ${json}`);
  }
}

function stateOf(state: string): EffectRecord["state"] | "review" {
  return state === "not-sent" ? "not sent" : (state as EffectRecord["state"] | "review");
}

function lineOf({ key, service, state, intendedAt, calls, queue, jobId, request, lastError }: EffectRecord): string {
  const job = jobId === undefined ? "" : `  job ${jobId} of ${queue ?? "?"}`;
  const error = lastError === undefined ? "" : `  ${lastError.replace(/\s+/g, " ")}`;
  return `${key}  ${service}  ${state}  ${intendedAt.toISOString()}  ${calls} calls${job}  ${request}${error}\n`;
}
