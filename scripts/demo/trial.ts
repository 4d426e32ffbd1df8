import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import SQLite, { type Database } from "better-sqlite3";
import { ledgerDdl, outboxDdl } from "../../dist/index.js";
import { World, type Seen } from "./broker.ts";
import { Child } from "./children.ts";
import type { Operation, Program } from "./programs.ts";

export interface Measured {
  /** Operations whose transaction committed. */
  readonly committed: number;
  readonly deliveries: number;
  readonly effects: number;
  readonly lost: number;
  readonly double: number;
  /** Effects of operations whose transaction did not commit. */
  readonly ghosts: number;
}

/** What happens to one operation. */
interface Moment {
  readonly what: string;
  readonly possible?: boolean;
  readonly onlyIf?: (trial: Trial) => boolean;
  readonly run: (trial: Trial, operation: Operation) => Promise<void>;
}

/** The worst moments, one operation each. */
export const moments: readonly Moment[] = [
  { what: "nothing goes wrong", run: (trial, operation) => trial.ask(operation) },
  {
    what: "asked for twice",
    async run(trial, operation) {
      await trial.ask(operation);
      await trial.ask(operation);
    },
  },
  { what: "rolled back at its end", possible: false, run: (trial, operation) => trial.ask(operation) },
  {
    what: "the worker faster than the COMMIT",
    onlyIf: ({ program }) => program.readsTheRow,
    async run(trial, operation) {
      const handled = trial.next("delete", operation);
      // The sender goes on when its job has been handled.
      void trial.hold("send", operation, handled);
      await trial.ask(operation, { paused: false });
    },
  },
  {
    what: "killed between the dispatch and the COMMIT",
    async run(trial, operation) {
      if (trial.version === "right") await trial.restart("app", { AFTERCOMMIT_FAIL_POINT: "outbox:after-insert" });
      else void trial.kill("send", operation);
      await trial.ask(operation);
      await trial.restart("app");
    },
  },
  {
    what: "killed right after the COMMIT",
    async run(trial, operation) {
      if (trial.version === "right") await trial.restart("app", { AFTERCOMMIT_FAIL_POINT: "transaction:after-commit" });
      await trial.ask(operation);
      await trial.restart("app");
    },
  },
  {
    what: "the relay killed when the queue has the job",
    async run(trial, operation) {
      // The wrong programs have no relay: there nothing happens.
      const killed = trial.version === "right" ? trial.kill("send", operation) : undefined;
      await trial.ask(operation);
      await killed;
    },
  },
  {
    what: "the worker killed when the partner has the request",
    async run(trial, operation) {
      const killed = trial.kill("partner", operation);
      await trial.ask(operation);
      await killed;
    },
  },
  {
    what: "the worker killed when all is done but the queue does not know",
    async run(trial, operation) {
      const killed = trial.kill("delete", operation);
      await trial.ask(operation);
      await killed;
    },
  },
  {
    what: "the lease over while the worker is still at it",
    async run(trial, operation) {
      // The first worker is held at the partner until a second one has done the job.
      const handled = trial.next("delete", operation);
      const held = trial.hold("partner", operation, handled, () => {
        trial.redeliver();
      });
      trial.start("worker-2");
      await trial.ask(operation);
      await held;
    },
  },
];

interface Waiter {
  readonly what: Seen["what"];
  readonly operation: Operation;
  readonly then: (seen: Seen) => Promise<void> | void;
}

/** A name of a process: the one that is asked, the relay, the workers. */
type Role = "app" | "relay" | `worker-${number}`;

const folderOf = (name: string, version: string) => join(import.meta.dirname, "../../examples", name, version);

/** One program in one version, with its processes, its queue and its database, through all moments. */
export class Trial {
  readonly program: Program;
  readonly version: "wrong" | "right";
  readonly #folder: string;
  readonly #cache: string;
  readonly #children = new Map<Role, Child>();
  readonly #waiters = new Set<Waiter>();
  readonly #db: Database;
  #world!: World;
  #ended = false;

  /** @param folder where it may write; whoever gives it removes it */
  constructor(program: Program, version: "wrong" | "right", folder: string) {
    this.program = program;
    this.version = version;
    this.#cache = join(folder, "compiled");
    this.#folder = mkdtempSync(join(folder, "trial-"));
    this.#db = new SQLite(join(this.#folder, "shop.db"));
    this.#db.pragma("journal_mode = wal");
    this.#db.exec(program.tables);
    if (version === "right") this.#db.exec(outboxDdl("sqlite") + ledgerDdl("sqlite"));
  }

  /** Goes through all moments and counts. */
  async run(): Promise<Measured> {
    this.#world = await World.start((seen) => this.#seen(seen));
    try {
      const roles: Role[] = this.version === "right" ? ["app", "worker-1", "relay"] : ["app", "worker-1"];
      for (const role of roles) this.start(role);
      const operations: Operation[] = [];
      for (const [index, moment] of moments.entries()) {
        if (moment.onlyIf?.(this) === false) continue;
        const operation = this.program.prepare(this.#db, index + 1, moment.possible ?? true);
        operations.push(operation);
        await this.#inTime(moment.run(this, operation), moment.what);
        await this.#settled(moment.what);
      }
      return this.#count(operations);
    } finally {
      await this.#close();
    }
  }

  /** Ends every process of the program. */
  async end(): Promise<void> {
    this.#ended = true;
    await Promise.all([...this.#children.values()].map((child) => child.kill()));
  }

  async #close(): Promise<void> {
    await this.end();
    this.#world.stop();
    this.#db.close();
  }

  /** Has the program do the operation. Its job is delivered when the answer is there, unless it is not to be paused. */
  async ask(operation: Operation, { paused = true } = {}): Promise<void> {
    this.#world.pause(this.#queue, paused);
    const { function: name } = this.program.asks;
    await this.#children.get("app")?.call({ name, argument: operation.argument });
    this.#world.pause(this.#queue, false);
  }

  /** The next request of this kind about the operation. */
  next(what: Seen["what"], operation: Operation): Promise<void> {
    return new Promise((resolve) => {
      this.#waiters.add({
        what,
        operation,
        then: () => {
          resolve();
        },
      });
    });
  }

  /** Kills the process that makes the next request of this kind, before it is answered, and starts another one. */
  kill(what: Seen["what"], operation: Operation): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiters.add({
        what,
        operation,
        then: async ({ client }) => {
          await this.restart(client as Role).then(resolve, reject);
        },
      });
    });
  }

  /** Leaves the next request of this kind without an answer until something else has happened. */
  hold(what: Seen["what"], operation: Operation, until: Promise<void>, meanwhile?: () => void): Promise<void> {
    return new Promise((resolve) => {
      this.#waiters.add({
        what,
        operation,
        then: async () => {
          meanwhile?.();
          await until;
          resolve();
        },
      });
    });
  }

  /** Kills a process, and starts it anew. The leases of what it held end at once, in the queue and in the outbox. */
  async restart(role: Role, env: Readonly<Record<string, string>> = {}): Promise<void> {
    await this.#children.get(role)?.kill();
    this.#world.redeliver(this.#queue, role);
    if (role === "relay")
      this.#db.exec("UPDATE aftercommit_outbox SET available_at = created_at WHERE claim IS NOT NULL");
    this.start(role, env);
  }

  redeliver(): void {
    this.#world.redeliver(this.#queue);
  }

  get #queue(): string {
    return `${this.program.name}-${this.version}`;
  }

  start(role: Role, env: Readonly<Record<string, string>> = {}): void {
    if (this.#ended) return;
    const { name, asks, worker } = this.program;
    const file = role === "app" ? asks.file : role === "relay" ? "relay" : worker;
    const partner = this.#world.url("partner", this.#queue, role);
    const child = new Child(join(folderOf(name, this.version), `${file}.ts`), {
      DATABASE_FILE: join(this.#folder, "shop.db"),
      QUEUE_URL: this.#world.url("queue", this.#queue, role),
      MAILS_URL: this.#world.url("mails", this.#queue, role),
      CARRIER_URL: partner,
      PARTNER_URL: partner,
      STATISTICS_URL: partner,
      // So that all but the first process of each kind start faster.
      NODE_COMPILE_CACHE: this.#cache,
      AWS_REGION: "eu-central-1",
      AWS_ACCESS_KEY_ID: "demo",
      AWS_SECRET_ACCESS_KEY: "demo",
      ...env,
    });
    this.#children.set(role, child);
  }

  async #seen(seen: Seen): Promise<void> {
    for (const waiter of this.#waiters) {
      if (waiter.what !== seen.what || !seen.text.includes(waiter.operation.id)) continue;
      this.#waiters.delete(waiter);
      await waiter.then(seen);
    }
  }

  /** Until there is nothing left to do, in the queue and in the outbox. */
  async #settled(what: string): Promise<void> {
    const waiting =
      this.version === "right"
        ? this.#db.prepare("SELECT count(*) FROM aftercommit_outbox WHERE available_at IS NOT NULL").pluck()
        : undefined;
    const isSettled = async () => {
      while (!(this.#world.isEmpty(this.#queue) && (waiting?.get() ?? 0) === 0)) {
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    };
    await this.#inTime(isSettled(), what);
  }

  async #inTime(work: Promise<void>, what: string): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const tooLong = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        const errors = [...this.#children].map(([role, child]) => `${role}: ${child.errors}`).join("\n");
        reject(new Error(`${this.#queue} does not get beyond "${what}"\n${errors}`));
      }, 60_000);
    });
    try {
      await Promise.race([work, tooLong]);
    } finally {
      clearTimeout(timer);
    }
  }

  #count(operations: readonly Operation[]): Measured {
    const seen = { db: this.#db, world: this.#world, queue: this.#queue };
    const counted = operations.map((operation) => ({
      wanted: this.program.isCommitted(this.#db, operation) ? 1 : 0,
      had: this.program.effects(seen, operation),
    }));
    const sum = (of: (one: (typeof counted)[number]) => number) => counted.reduce((total, one) => total + of(one), 0);
    return {
      committed: sum(({ wanted }) => wanted),
      deliveries: this.#world.deliveries(this.#queue),
      effects: sum(({ had }) => had),
      lost: sum(({ wanted, had }) => Math.max(wanted - had, 0)),
      double: sum(({ wanted, had }) => (wanted === 1 ? Math.max(had - 1, 0) : 0)),
      ghosts: sum(({ wanted, had }) => (wanted === 0 ? had : 0)),
    };
  }
}
