import { join } from "node:path";

import { leaseCases, type Case } from "./cases.js";

/** A BullMQ handler whose lock is not renewed and ends after 30 s. */
function handler(body: string, { before = "", ...rest }: Partial<Case> & { before?: string } = {}): Case {
  return {
    code: `import { Worker } from "bullmq";
${before}
new Worker("x", async (job) => {
  ${body}
}, { connection: {}, skipLockRenewal: true });`,
    ...rest,
  };
}

const fetchFor = (ms: string) => `await fetch("http://a", { signal: AbortSignal.timeout(${ms}) });`;

leaseCases("limits that a handler sets itself", {
  "AbortSignal.timeout": handler(fetchFor("45_000"), { at: "AbortSignal.timeout", says: ["45 s"] }),
  "a timer that aborts": handler(
    `const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), 45_000);
  try {
    await fetch("http://a", { signal: controller.signal });
  } finally {
    clearTimeout(timer);
  }`,
    { at: "setTimeout(", says: ["45 s (`setTimeout`"] },
  ),
  "a timer that rejects": handler(
    `await Promise.race([fetch("http://a"), new Promise((_, reject) => setTimeout(reject, 45_000, new Error("late")))]);`,
    { at: "setTimeout(" },
  ),
  "a timer that does something else": handler(`setTimeout(() => console.log("slow"), 45_000); ${fetchFor("5_000")}`),
  "a wait": handler(`await new Promise((resolve) => setTimeout(resolve, 45_000));`, { at: "setTimeout(" }),
  "a wait of node:timers/promises": handler(`await sleep(45_000);`, {
    before: `import { setTimeout as sleep } from "node:timers/promises";`,
    at: "sleep(45_000)",
  }),
  "axios, get": handler(`await axios.get("http://a", { timeout: 45_000 });`, {
    before: `import axios from "axios";`,
    at: "timeout: 45_000",
  }),
  "axios, post": handler(`await axios.post("http://a", {}, { timeout: 45_000 });`, {
    before: `import axios from "axios";`,
    at: "timeout: 45_000",
  }),
  "axios, called": handler(`await axios({ url: "http://a", timeout: 45_000 });`, {
    before: `import axios from "axios";`,
    at: "timeout: 45_000",
  }),
  "axios, an instance, twice": handler(`await http.get("http://a"); await http.post("http://b", {});`, {
    before: `import axios from "axios"; const http = axios.create({ timeout: 20_000 });`,
    at: "timeout: 20_000",
    says: ["40 s (2 × 20 s by `timeout`, line 2)"],
  }),
  got: handler(`await got.post("http://a", { timeout: { request: 45_000 } });`, {
    before: `import got from "got";`,
    at: "request: 45_000",
  }),
  "got, called": handler(`await got("http://a", { timeout: { request: 45_000 } }).json();`, {
    before: `import got from "got";`,
    at: "request: 45_000",
  }),
  "got, extended": handler(`await client.get("http://a");`, {
    before: `import got from "got"; const client = got.extend({ timeout: { request: 45_000 } });`,
    at: "request: 45_000",
  }),
  ky: handler(`await ky.get("http://a", { timeout: 45_000 }).json();`, {
    before: `import ky from "ky";`,
    at: "timeout: 45_000",
  }),
  "undici: headers and body add up": handler(
    `await request("http://a", { headersTimeout: 20_000, bodyTimeout: 20_000 });`,
    { before: `import { request } from "undici";`, at: "headersTimeout: 20_000", says: ["40 s"] },
  ),
  pg: handler(`await pool.query("select 1");`, {
    before: `import { Pool } from "pg"; const pool = new Pool({ statement_timeout: 45_000 });`,
    at: "statement_timeout: 45_000",
  }),
  "pg: a net below all queries counts once": handler(`await pool.query("select 1"); await pool.query("select 2");`, {
    before: `import { Pool } from "pg"; const pool = new Pool({ statement_timeout: 20_000 });`,
  }),
  "p-timeout": handler(`await pTimeout(fetch("http://a"), { milliseconds: 45_000, message: "late" });`, {
    before: `import pTimeout from "p-timeout";`,
    at: "milliseconds: 45_000",
  }),
  "p-timeout limits what it is around": handler(
    `await pTimeout(fetch("http://a", { signal: AbortSignal.timeout(45_000) }), { milliseconds: 25_000 });`,
    { before: `import pTimeout from "p-timeout";` },
  ),
  "Effect.timeout": handler(`await Effect.runPromise(Effect.timeout(Effect.never, "45 seconds"));`, {
    before: `import { Effect } from "effect";`,
    at: "Effect.timeout(",
  }),
  "no limit at all: nothing is known": handler(`await fetch("http://a");`),
  "a method of the same name of something else": handler(`await client.get("http://a", { timeout: 45_000 });`, {
    before: `class Client { async get(url: string, options: { timeout: number }) {} } const client = new Client();`,
  }),
});

const race = `async function withTimeout<T>(work: Promise<T> | (() => Promise<T>), ms: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => { timer = setTimeout(() => reject(new Error("late")), ms); });
  try { return await Promise.race([typeof work === "function" ? work() : work, late]); } finally { clearTimeout(timer); }
}
const slow = async () => { ${fetchFor("60_000")} };`;

leaseCases("limits that add up", {
  "one after the other": handler(`${fetchFor("20_000")} ${fetchFor("15_000")}`, {
    at: "AbortSignal.timeout(20_000)",
    says: ["35 s (20 s by `AbortSignal.timeout`, line 4; 15 s by `AbortSignal.timeout`, line 4)"],
  }),
  "below the lease": handler(`${fetchFor("10_000")} ${fetchFor("15_000")}`),
  "at once": handler(
    `await Promise.all([fetch("http://a", { signal: AbortSignal.timeout(20_000) }), fetch("http://b", { signal: AbortSignal.timeout(15_000) })]);`,
  ),
  "begun at once, awaited later": handler(
    `const a = fetch("http://a", { signal: AbortSignal.timeout(20_000) });
  const b = fetch("http://b", { signal: AbortSignal.timeout(15_000) });
  await Promise.all([a, b]);`,
  ),
  "one signal for all": handler(
    `const signal = AbortSignal.timeout(25_000); await fetch("http://a", { signal }); await fetch("http://b", { signal });`,
  ),
  "one signal for all, with limits of their own": handler(
    `const signal = AbortSignal.timeout(25_000);
  await axios.get("http://a", { signal, timeout: 20_000 }); await axios.get("http://b", { signal, timeout: 20_000 });`,
    { before: `import axios from "axios";` },
  ),
  "a signal among others": handler(
    `const signal = AbortSignal.any([AbortSignal.timeout(45_000), new AbortController().signal]); await fetch("http://a", { signal });`,
    { at: "AbortSignal.timeout(45_000)" },
  ),
  "either or": handler(`if (job.name === "a") { ${fetchFor("20_000")} } else { ${fetchFor("15_000")} }`),
  "either, and out": handler(`if (job.name === "a") { ${fetchFor("20_000")} return; } ${fetchFor("15_000")}`),
  "in a race the first limit ends it": handler(`await Promise.race([slow(), late(25_000)]);`, {
    before: `const late = (ms: number) => new Promise<never>((_, reject) => setTimeout(() => reject(new Error("late")), ms));
const slow = async () => { ${fetchFor("45_000")} };`,
  }),
  "in a race with a limit above the lease": handler(`await Promise.race([slow(), late(40_000)]);`, {
    before: `const late = (ms: number) => new Promise<never>((_, reject) => setTimeout(() => reject(new Error("late")), ms));
const slow = async () => {};`,
    at: "setTimeout(",
    says: ["40 s"],
  }),
  "in a race of the project's own, around a promise": handler(`await withTimeout(slow(), 25_000);`, { before: race }),
  "in a race of the project's own, around a function": handler(`await withTimeout(() => slow(), 25_000);`, {
    before: race,
  }),
  "in a race of the project's own, around a promise that was begun before": handler(
    `const begun = slow(); await withTimeout(begun, 25_000);`,
    { before: race },
  ),
  "in a race of the project's own that is too long": handler(`await withTimeout(slow(), 40_000);`, {
    before: race,
    at: "setTimeout(",
    says: ["40 s (`setTimeout`"],
  }),
  "a promise that a function of the project waits for": handler(`await logged(slow());`, {
    before: `const slow = async () => { ${fetchFor("45_000")} };
const logged = async (promise: Promise<void>) => { await promise; console.log("done"); };`,
    at: "AbortSignal.timeout",
  }),
  "one signal for all that is below": handler(
    `const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), 25_000);
  await slow(controller.signal);
  clearTimeout(timer);`,
    {
      before: `const slow = async (signal: AbortSignal) => { await fetch("http://a", { signal: AbortSignal.any([signal, AbortSignal.timeout(20_000)]) }); };`,
    },
  ),
  "tried again in a loop": handler(`for (let i = 0; i < 3; i++) { try { ${fetchFor("12_000")} return; } catch {} }`, {
    at: "AbortSignal.timeout",
    says: ["36 s (3 × 12 s by `AbortSignal.timeout`"],
  }),
  "for each of a constant list": handler(`for (const region of ["eu", "us", "ap"]) { ${fetchFor("12_000")} }`, {
    at: "AbortSignal.timeout",
  }),
  "for each of a list of unknown length: once at least": handler(
    `for (const id of job.data.ids) { ${fetchFor("12_000")} }`,
  ),
  "for each of a list of unknown length, longer than the lease": handler(
    `for (const id of job.data.ids) { ${fetchFor("31_000")} }`,
    { at: "AbortSignal.timeout" },
  ),
  "a promise that nobody waits for": handler(`void fetch("http://a", { signal: AbortSignal.timeout(45_000) });`),
  "tried, and then something else": handler(`try { ${fetchFor("20_000")} } catch { ${fetchFor("15_000")} }`, {
    at: "AbortSignal.timeout(20_000)",
  }),
  "read at once": handler(
    `const text = (await fetch("http://a", { signal: AbortSignal.timeout(45_000) })).text(); await text;`,
    { at: "AbortSignal.timeout(45_000)" },
  ),
  then: handler(
    `await fetch("http://a", { signal: AbortSignal.timeout(20_000) }).then(() => fetch("http://b", { signal: AbortSignal.timeout(15_000) }));`,
    { at: "AbortSignal.timeout(20_000)" },
  ),
});

leaseCases("limits in functions below the handler", {
  "three calls below, with what was passed": handler(`await first(15_000);`, {
    before: `const first = async (ms: number) => { await second(ms * 3); };
async function second(ms: number) { return third({ limit: ms }); }
const third = async (options: { limit: number }) => { await fetch("http://a", { signal: AbortSignal.timeout(options.limit) }); };`,
    at: "AbortSignal.timeout",
    says: ["45 s"],
  }),
  "four calls below": handler(`await first();`, {
    before: `async function first() { await second(); }
async function second() { await third(); }
async function third() { await fourth(); }
async function fourth() { ${fetchFor("45_000")} }`,
  }),
  "a function that calls itself": handler(`await first(3);`, {
    before: `async function first(left: number): Promise<void> { ${fetchFor("12_000")} if (left > 0) await first(left - 1); }`,
  }),
  "a handler by its name": {
    code: `import { Worker, type Job } from "bullmq";
async function render(job: Job) { ${fetchFor("45_000")} }
new Worker("x", render, { connection: {}, skipLockRenewal: true });`,
    at: "AbortSignal.timeout",
  },
  "a method that is bound": {
    code: `import { Worker, type Job } from "bullmq";
export class Pdf {
  private readonly worker = new Worker("x", this.render.bind(this), { connection: {}, skipLockRenewal: true });
  private async render(job: Job) { ${fetchFor("45_000")} }
}`,
    at: "AbortSignal.timeout",
  },
  "a method of an injected service": {
    code: `import { Worker } from "bullmq";
class Renderer { async render() { ${fetchFor("45_000")} } }
export class Pdf {
  constructor(private readonly renderer: Renderer) {}
  start() {
    return new Worker("x", async () => this.renderer.render(), { connection: {}, skipLockRenewal: true });
  }
}`,
    at: "AbortSignal.timeout",
  },
  "a function that only defines another": handler(
    `const later = async () => { ${fetchFor("45_000")} }; job.data.later = later;`,
  ),
  "a library's wrapper around it": {
    code: `import { Worker } from "bullmq";
import { wrap } from "some-tracing";
new Worker("x", wrap("render", async () => { ${fetchFor("45_000")} }), { connection: {}, skipLockRenewal: true });`,
    at: "AbortSignal.timeout",
  },
  "a wrapper of the project around it": {
    code: `import { Worker, type Job } from "bullmq";
const logged = (run: (job: Job) => Promise<void>) => async (job: Job) => { console.log(job.id); await run(job); };
new Worker("x", logged(async () => { ${fetchFor("45_000")} }), { connection: {}, skipLockRenewal: true });`,
    at: "AbortSignal.timeout",
  },
  "a listener that is only registered": handler(`process.on("exit", async () => { ${fetchFor("45_000")} });`),
});

const constant = (value: string, before = ""): Case => handler(fetchFor(value), { before });
const found = (value: string, before = ""): Case => ({ ...constant(value, before), at: "AbortSignal.timeout" });

leaseCases("what is constant", {
  "a product": found("45 * 1000"),
  "a sum and a quotient": found("(60_000 + 30_000) / 2"),
  "a constant": found("LIMIT", "const LIMIT = 45_000;"),
  "a constant object": found("limits.pdf.ms", "const limits = { pdf: { ms: 45_000 } } as const;"),
  "an enum": found("Limit.Pdf", "enum Limit { Mail = 1000, Pdf = 45_000 }"),
  "a static field": found("Limits.PDF * 1000", "class Limits { static readonly PDF = 45; }"),
  "a function's result": found("seconds(45)", "const seconds = (n: number) => n * 1000;"),
  "Number of a text": found(`Number("45000")`),
  parseInt: found(`parseInt("45000", 10)`),
  "Math.max": found("Math.max(45_000, 1000)"),
  "a default for what is missing": found("undefined ?? 45_000"),
  ms: found(`ms("45s")`, `import ms from "ms";`),
  "date-fns": found("secondsToMilliseconds(45)", `import { secondsToMilliseconds } from "date-fns";`),
  Luxon: found("Duration.fromObject({ seconds: 45 }).toMillis()", `import { Duration } from "luxon";`),
  "the environment": constant("Number(process.env.LIMIT ?? 45_000)"),
  "the environment, with a default": constant(`Number(process.env["LIMIT"]) || 45_000`),
  "a variable that changes": constant(
    "limit",
    "let limit = 45_000; export const set = (value: number) => { limit = value; };",
  ),
  "a parameter": {
    code: `import { Worker } from "bullmq";
export const start = (limit: number, lockDuration = 30_000) =>
  new Worker("x", async () => { ${fetchFor("limit")} }, { connection: {}, skipLockRenewal: true, lockDuration });`,
  },
  "options that are changed later": {
    code: `import { Worker } from "bullmq";
const options = { connection: {}, skipLockRenewal: true, lockDuration: 30_000 };
if (process.env.SLOW) options.lockDuration = 90_000;
new Worker("x", async () => { ${fetchFor("45_000")} }, options);`,
  },
  "one of two": constant("process.env.CI ? 10_000 : 45_000"),
});

leaseCases("look-alikes", {
  "a worker of threads": {
    code: `import { Worker } from "node:worker_threads";
new Worker("./x.js", { lockDuration: 20_000, lockRenewTime: 25_000 } as never);`,
  },
  "a class of the project": {
    code: `class Worker { constructor(readonly name: string, readonly run: () => void, readonly options: object) {} }
new Worker("x", () => {}, { lockDuration: 20_000, lockRenewTime: 25_000 });`,
  },
  "an object with the same names": {
    code: `export const options = { lockDuration: 20_000, lockRenewTime: 25_000, handleMessageTimeout: 60_000, visibilityTimeout: 30 };`,
  },
  "a test of the library": {
    code: `import { Worker } from "bullmq";
new Worker("mail", async () => {}, { connection: {}, lockDuration: 20, lockRenewTime: 200 });`,
    filename: join(import.meta.dirname, "../fixtures/worker.test.ts"),
    only: "untyped",
  },
  "another library's consumer": {
    code: `import { Consumer } from "some-consumer";
Consumer.create({ handleMessageTimeout: 60_000, visibilityTimeout: 30 });`,
  },
  "a run of something else": {
    code: `import { Kafka } from "kafkajs";
const program = { run: (options: { eachMessage: () => Promise<void> }) => options };
export const kafka = new Kafka({ brokers: [] });
program.run({ eachMessage: async () => { ${fetchFor("60_000")} } });`,
  },
});
