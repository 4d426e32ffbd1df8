/**
 * The state machine of `debounce` in every order of steps that a search finds: dispatchers that are slow, die or have a
 * wrong clock, relays that send once more, workers that fail, a store that loses what it knew.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import {
  begun,
  sending,
  sent,
  supersededBy,
  type DebounceRecord,
  type Sending,
} from "../../src/controls/debounce-record.js";
import type { JobId } from "../../src/job-id.js";

interface Request {
  readonly id: JobId;
  plan?: Sending;
  /** The step at which it was last prepared: the business change is older. */
  preparedAt: number;
  /** The step at which it was first asked for. */
  readonly askedAt: number;
  inQueue: boolean;
  /** As the message in the queue carries it. */
  generation?: number | undefined;
  wasSent: boolean;
}

type Step =
  | { readonly do: "ask"; readonly process: number }
  /** As it mostly goes: asked for, prepared, taken by the queue, and confirmed unless the process dies first. */
  | { readonly do: "send"; readonly process: number; readonly confirms: boolean }
  | { readonly do: "prepare" | "deliver" | "confirm" | "take" | "takeAndFail"; readonly which: number }
  | { readonly do: "lose" };

/** What happened, in steps that nothing can come between. */
class World {
  record: DebounceRecord | undefined;
  now = 0;
  readonly requests: Request[] = [];
  readonly runs: { readonly at: number; readonly id: JobId }[] = [];
  readonly dropped: JobId[] = [];
  readonly #skews: readonly number[];
  /** Whether a relay may prepare what the queue has already. */
  readonly #resends: boolean;
  #ids = 0;

  constructor(skews: readonly number[], resends = true) {
    this.#skews = skews;
    this.#resends = resends;
  }

  do(step: Step): void {
    this.now += 1;
    if (step.do === "send") {
      this.do({ do: "ask", process: step.process });
      const which = this.requests.length - 1;
      for (const what of ["prepare", "deliver"] as const) this.do({ do: what, which });
      if (step.confirms) this.do({ do: "confirm", which });
      return;
    }
    if (step.do === "ask") {
      const clock = this.now + 1000 + (this.#skews[step.process] ?? 0);
      const id = `${clock.toString().padStart(6, "0")}-${(this.#ids += 1).toString().padStart(4, "0")}` as JobId;
      this.requests.push({ id, preparedAt: 0, askedAt: this.now, inQueue: false, wasSent: false });
      return;
    }
    if (step.do === "lose") {
      this.record = undefined;
      return;
    }
    const request = this.requests[step.which % Math.max(this.requests.length, 1)];
    if (request !== undefined) this[step.do](request);
  }

  prepare(request: Request): void {
    if (request.wasSent && !this.#resends) return;
    request.plan = sending(this.record, this.now, 30, 120);
    request.preparedAt = this.now;
  }

  /** The queue knows every id that it ever had, as BullMQ may: what is sent once more changes nothing. */
  deliver(request: Request): void {
    if (request.plan === undefined || request.wasSent) return;
    request.wasSent = request.inQueue = true;
    request.generation = request.plan.generation;
  }

  confirm(request: Request): void {
    if (request.plan === undefined || !request.wasSent) return;
    this.record = sent(this.record, request.id, request.plan, this.now) ?? this.record;
  }

  take(request: Request): void {
    if (this.#begins(request)) request.inQueue = false;
  }

  takeAndFail(request: Request): void {
    this.#begins(request);
  }

  #begins(request: Request): boolean {
    if (!request.inQueue) return false;
    if (supersededBy(this.record, request.id, request.generation) !== undefined) {
      this.dropped.push(request.id);
      request.inQueue = false;
      return false;
    }
    this.record = begun(this.record, request.id, request.generation, this.now) ?? this.record;
    this.runs.push({ at: this.now, id: request.id });
    return true;
  }

  /** Workers take what is left, in any order. */
  drain(order: readonly number[]): void {
    const left = [...this.requests];
    for (const pick of order) {
      const [request] = left.splice(pick % Math.max(left.length, 1), 1);
      this.now += 1;
      if (request !== undefined) this.take(request);
    }
    for (const request of left) {
      this.now += 1;
      this.take(request);
    }
  }
}

const which = fc.nat({ max: 4 });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 2, arbitrary: fc.record({ do: fc.constant("ask" as const), process: fc.nat({ max: 2 }) }) },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant("send" as const), process: fc.nat({ max: 2 }), confirms: fc.boolean() }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("prepare" as const), which }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("deliver" as const), which }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("confirm" as const), which }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constant("take" as const), which }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("takeAndFail" as const), which }) },
);
const skews = fc.array(fc.integer({ min: -500, max: 500 }), { minLength: 3, maxLength: 3 });
const order = fc.array(fc.nat({ max: 20 }), { maxLength: 20 });
const numRuns = 30_000;

const losing = fc.oneof({ weight: 12, arbitrary: step }, { weight: 1, arbitrary: fc.constant<Step>({ do: "lose" }) });

test.each([
  ["wrong clocks", step, skews, false],
  ["relays that send once more, and a store that loses what it knew", losing, fc.constant([0, 0, 0]), true],
] as const)(
  "after each request that reached its queue a run begins, in whatever order, with %s",
  (_, steps, clocks, resends) => {
    fc.assert(
      fc.property(fc.array<Step>(steps, { maxLength: 30 }), clocks, order, (history, skewed, last) => {
        const world = new World(skewed, resends);
        for (const one of history) world.do(one);
        world.drain(last);
        const forgotten = world.requests.filter(
          ({ wasSent, askedAt }) => wasSent && !world.runs.some(({ at }) => at > askedAt),
        );
        expect(forgotten).toEqual([]);
      }),
      { numRuns },
    );
  },
);

test("DB-02 with right clocks and nothing lost, the last one runs, and of a burst nothing else", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 8 }), order, (count, last) => {
      const world = new World([0, 0, 0]);
      for (let index = 0; index < count; index += 1) {
        world.do({ do: "ask", process: 0 });
        for (const what of ["prepare", "deliver", "confirm"] as const) world.do({ do: what, which: index });
      }
      world.drain(last);
      expect(world.runs.map(({ id }) => id)).toEqual([world.requests.at(-1)?.id]);
      expect(world.dropped).toHaveLength(count - 1);
    }),
  );
});

test("the last request runs last, however often older ones are sent once more or tried again", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), order, (history, last) => {
      const world = new World([0, 0, 0]);
      // Here nobody dies between the queue's confirmation and the note of it.
      for (const one of history) {
        world.do(one);
        if (one.do === "deliver") world.do({ ...one, do: "confirm" });
        if (one.do === "send") world.do({ do: "confirm", which: world.requests.length - 1 });
      }
      world.drain(last);
      const latest = world.requests.filter(({ wasSent }) => wasSent).at(-1);
      if (latest !== undefined) expect(world.runs.some(({ id }) => id === latest.id)).toBe(true);
    }),
    { numRuns },
  );
});

test("DB-10, DB-11 what was prepared and never reached the queue supersedes nothing", () => {
  const world = new World([0, 0, 0]);
  for (const what of ["ask", "prepare", "deliver", "confirm"] as const) world.do({ do: what, which: 0, process: 0 });
  world.do({ do: "ask", process: 0 });
  world.do({ do: "prepare", which: 1 });
  world.drain([]);
  expect(world.runs.map(({ id }) => id)).toEqual([world.requests[0]?.id]);
});

test("DB-07 a job whose time is up runs although later ones come, and the last of those runs, too", () => {
  const world = new World([0, 0, 0]);
  const times: [number, Sending][] = [];
  for (let second = 0; second <= 200; second += 10) {
    world.do({ do: "ask", process: 0 });
    world.now = second * 1000;
    const request = world.requests.at(-1);
    if (request === undefined) continue;
    world.prepare(request);
    world.deliver(request);
    world.confirm(request);
    if (request.plan !== undefined) times.push([second, request.plan]);
  }
  // The one at 90 would wait until 120.
  const due = times.filter(([, plan]) => plan.due);
  expect(due).toEqual([[90, { delay: 30, generation: 0, first: false, due: true }]]);
  // A slow worker takes them all only now.
  world.drain([]);
  expect(world.runs.map(({ id }) => world.requests.findIndex((request) => request.id === id))).toEqual([9, 20]);
});

test("DB-07 under load that never ends a run begins every maxWait, again and again", () => {
  const world = new World([0, 0, 0]);
  const due = new Map<Request, number>();
  for (let second = 0; second <= 1000; second += 5) {
    world.now = second * 1000;
    for (const [request, at] of due) if (at <= second) world.take(request);
    world.do({ do: "send", process: 0, confirms: true });
    const request = world.requests.at(-1);
    if (request?.plan !== undefined) due.set(request, second + request.plan.delay);
    world.now = second * 1000;
  }
  const starts = world.runs.map(({ at }) => Math.round(at / 1000));
  expect(starts.length > 6 && starts.every((at, index) => at - (starts[index - 1] ?? 0) <= 125)).toBe(true);
});

test("DB-08 after a run the time counts anew", () => {
  const id = "0001" as JobId;
  const first = sent(undefined, id, sending(undefined, 0, 30, 120), 0);
  const afterRun = begun(first, id, 0, 30_000);
  expect(sending(afterRun, 500_000, 30, 120)).toEqual({ delay: 30, generation: 1, first: false, due: false });
});

test("DB-12 a try that follows is dropped when a later job has come", () => {
  const world = new World([0, 0, 0]);
  for (const what of ["ask", "prepare", "deliver", "confirm"] as const) world.do({ do: what, which: 0, process: 0 });
  world.do({ do: "takeAndFail", which: 0 });
  world.do({ do: "ask", process: 0 });
  for (const what of ["prepare", "deliver", "confirm"] as const) world.do({ do: what, which: 1 });
  world.do({ do: "take", which: 0 });
  expect(world.dropped).toEqual([world.requests[0]?.id]);
});
