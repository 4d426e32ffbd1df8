/** The Nest module in real applications, on PostgreSQL, with the memory queue and BullMQ. */
import { ClsPluginTransactional, TransactionHost, Transactional } from "@nestjs-cls/transactional";
import { Inject, Injectable, Module, Scope, type DynamicModule, type LoggerService, type Type } from "@nestjs/common";
import { Test, type TestingModule } from "@nestjs/testing";
import { ClsModule, ClsModuleOptions } from "nestjs-cls";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { nestjsClsAdapter } from "../../../src/frameworks/nestjs-cls.js";
import { afterCommit } from "../../../src/delivery.js";
import {
  AftercommitModule,
  getQueueToken,
  InjectOutbox,
  InjectQueue,
  InjectTransactions,
  JobHandler,
  OnJobFailed,
  type AftercommitModuleOptions,
} from "../../../src/frameworks/nestjs.js";
import { ledgerDdl } from "../../../src/ledger/ddl.js";
import { outboxDdl } from "../../../src/outbox/ddl.js";
import { createOutbox, type Outbox } from "../../../src/outbox/outbox.js";
import { memoryQueues } from "../../../src/queues/memory.js";
import { createTransactionManager, type TransactionManager } from "../../../src/transaction-manager.js";
import { execute } from "../../../src/transaction-statements.js";
import type { FailedJob, Job } from "../../../src/worker/worker.js";
import { subjects, type Opened } from "../../databases/subjects.js";
import { statementsOf } from "../../ledger/statements.js";
import type { OpenedQueues } from "../../queues/subject.js";
import { queueSubjects } from "../../queues/subjects.js";
import { definePoints, Orders, OrdersModule, PointsHandler, Watch, type Points, type PointsQueue } from "./orders.js";

const postgres = subjects.find(({ name }) => name === "pg") ?? expect.fail();
const until = (assert: () => unknown) => vi.waitFor(assert, { timeout: 20_000, interval: 10 });

let opened: Opened;
let queues: OpenedQueues;
let transactions: TransactionManager;
let outbox: Outbox;
let points: PointsQueue;
let application: TestingModule | undefined;
/** What Nest's logger was told as errors. */
let logged: string[];

const setUp = async (subject: (typeof queueSubjects)[number]) => {
  [opened, queues] = await Promise.all([postgres.open(), subject.open()]);
  for (const ddl of [outboxDdl("postgres"), ledgerDdl("postgres")]) {
    for (const statement of statementsOf(ddl)) await opened.database.query(statement);
  }
  await opened.database.query("create table orders (id integer primary key, points integer not null)");
  transactions = createTransactionManager(opened.database);
  outbox = createOutbox({ transactions });
  points = definePoints(queues.queues, outbox);
  [application, logged] = [undefined, []];
};
const tearDown = async () => {
  await application?.close();
  await queues.close();
  await opened.close();
};

const options = (more: Partial<AftercommitModuleOptions> = {}): AftercommitModuleOptions => ({
  transactions,
  queues: [points],
  outbox,
  relay: { pollEvery: 0.02, listen: false },
  ...more,
});
const logger: LoggerService = {
  log: () => undefined,
  warn: () => undefined,
  error: (text: string) => logged.push(text),
};
const start = async (...imports: (DynamicModule | Type)[]) => {
  const compiled = await Test.createTestingModule({ imports }).setLogger(logger).compile();
  application = compiled;
  await compiled.init();
  return compiled;
};
const stored = async () => (await opened.database.query("select id, points from orders order by id")).rows;

const onBoth = queueSubjects.filter(({ name }) => name === "memory" || name === "bullmq");

describe.each(onBoth)("through $name", (subject) => {
  describe.skipIf(!postgres.available || !subject.available)("on their servers", () => {
    beforeEach(() => setUp(subject));
    afterEach(tearDown);

    test("OB-01, OB-02 what is committed is handled once, what is rolled back never", async () => {
      const app = await start(AftercommitModule.forRoot(options()), OrdersModule);
      const orders = app.get(Orders);
      await expect(orders.confirm(1, true)).rejects.toThrow("the card was refused");
      await orders.confirm(2);
      await orders.confirm(3);
      await until(async () => {
        expect(await stored()).toEqual([
          { id: 2, points: 10 },
          { id: 3, points: 10 },
        ]);
      });
      expect([...app.get(Watch).runs].sort()).toEqual([2, 3]);
      expect(await outbox.list({ state: "waiting" })).toEqual([]);
      expect(logged).toEqual([]);
    });

    test("AT-11 closing the application waits for the job that runs, takes no other, and ends with what is to be closed", async () => {
      const events: string[] = [];
      const close = vi.fn(async () => {
        events.push(`closed with ${(await stored()).map(({ points: of }) => String(of)).join()} points`);
      });
      const app = await start(AftercommitModule.forRoot(options({ close })), OrdersModule);
      let letItGoOn: () => void = () => undefined;
      const mayGoOn = new Promise<void>((resolve) => (letItGoOn = resolve));
      app.get(Watch).before = async () => {
        events.push("began");
        await mayGoOn;
        events.push("ended");
      };
      await app.get(Orders).confirm(1);
      await until(() => {
        expect(events).toEqual(["began"]);
      });
      const closing = app.close();
      await app.get(Orders).confirm(2);
      await new Promise((resolve) => setTimeout(resolve, 100));
      expect(events).toEqual(["began"]);
      letItGoOn();
      await closing;
      expect(events).toEqual(["began", "ended", "closed with 10,0 points"]);
      expect(app.get(Watch).runs).toEqual([1]);
      expect(await outbox.list({ state: "waiting" })).toHaveLength(1);
    });

    test("AT-11 with `stopDeadline` a job that does not end is given back, and handled by the next application", async () => {
      const first = await start(AftercommitModule.forRoot(options({ stopDeadline: 0.05 })), OrdersModule);
      let reason: unknown;
      first.get(Watch).before = ({ signal }) =>
        new Promise((_, reject) => {
          signal.addEventListener("abort", () => {
            reason = signal.reason;
            reject(new Error("stopped"));
          });
        });
      await first.get(Orders).confirm(1);
      await until(() => {
        expect(first.get(Watch).runs).toEqual([1]);
      });
      await first.close();
      expect(reason).toMatchObject({ code: "AFTERCOMMIT_WORKER_STOPPED" });
      expect(await stored()).toEqual([{ id: 1, points: 0 }]);

      const second = await start(AftercommitModule.forRoot(options()), OrdersModule);
      await until(async () => {
        expect(await stored()).toEqual([{ id: 1, points: 10 }]);
      });
      expect(second.get(Watch).runs).toEqual([1]);
    });

    test("AT-01 a method hears of jobs that are given up", async () => {
      const app = await start(AftercommitModule.forRoot(options()), OrdersModule);
      app.get(Watch).before = () => Promise.reject(new Error("no points today"));
      await app.get(Orders).confirm(1);
      await until(() => {
        expect(app.get(Watch).failed).toMatchObject([{ of: { orderId: 1 }, error: { message: "no points today" } }]);
      });
      expect(app.get(Watch).runs).toEqual([1, 1]);
    });
  });
});

const [memory = expect.fail()] = onBoth;

describe.skipIf(!postgres.available)("an application", () => {
  beforeEach(() => setUp(memory));
  afterEach(tearDown);

  test("gets its options from a factory, with what other modules provide", async () => {
    @Injectable()
    class Config {
      readonly pollEvery = 0.02;
    }
    @Module({ providers: [Config], exports: [Config] })
    class ConfigModule {}

    const app = await start(
      AftercommitModule.forRootAsync({
        imports: [ConfigModule],
        inject: [Config],
        queues: ["points"],
        useFactory: async ({ pollEvery }: Config) => {
          await Promise.resolve();
          return options({ relay: { pollEvery, listen: false } });
        },
      }),
      OrdersModule,
    );
    await app.get(Orders).confirm(1);
    await until(async () => {
      expect(await stored()).toEqual([{ id: 1, points: 10 }]);
    });
  });

  test("that only takes requests leaves its jobs to others", async () => {
    const app = await start(AftercommitModule.forRoot(options({ workers: false, relay: false })), OrdersModule);
    await app.get(Orders).confirm(1);
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(await outbox.list({ state: "waiting" })).toHaveLength(1);
    expect(app.get(Watch).runs).toEqual([]);
  });

  test("has transactions and outbox to inject, and a queue that tests can replace", async () => {
    @Injectable()
    class Health {
      constructor(
        @InjectOutbox() readonly outbox: Outbox,
        @InjectTransactions() readonly transactions: TransactionManager,
        @InjectQueue(points) readonly points: PointsQueue,
      ) {}
    }
    const replacement = definePoints(queues.queues, outbox, "instead");
    const compiled = await Test.createTestingModule({
      imports: [AftercommitModule.forRoot(options({ workers: false }))],
      providers: [Health],
    })
      .overrideProvider(getQueueToken("points"))
      .useValue(replacement)
      .compile();
    application = compiled;
    expect(compiled.get(Health)).toMatchObject({ outbox, transactions, points: replacement });
  });

  test("runs handlers within `@Transactional` methods' own transactions", async () => {
    const adapter = nestjsClsAdapter(transactions, undefined);
    const cls = Object.assign(new ClsModuleOptions(), {
      global: true,
      plugins: [new ClsPluginTransactional({ adapter })],
    });

    @Injectable()
    class DecoratedOrders {
      constructor(
        @InjectTransactions() private readonly manager: TransactionManager,
        @Inject(TransactionHost) readonly host: TransactionHost,
        @InjectQueue("points") private readonly queue: PointsQueue,
      ) {}

      @Transactional()
      async confirm(orderId: number, fails: boolean): Promise<void> {
        const tx = this.manager.current() ?? expect.fail();
        await execute(tx, `insert into orders values (${orderId.toString()}, 0)`);
        await this.queue.enqueue(tx, { orderId });
        if (fails) throw new Error("no");
      }
    }
    @Module({ providers: [DecoratedOrders, PointsHandler, Watch] })
    class DecoratedModule {}

    const app = await start(ClsModule.forRoot(cls), AftercommitModule.forRoot(options()), DecoratedModule);
    const orders = app.get(DecoratedOrders);
    await expect(orders.confirm(1, true)).rejects.toThrow("no");
    await orders.confirm(2, false);
    await until(async () => {
      expect(await stored()).toEqual([{ id: 2, points: 10 }]);
    });
    expect(app.get(Watch).runs).toEqual([2]);
  });

  test("tells Nest's logger of what has no other place", async () => {
    const broken = {
      ...queues.queues,
      send: () => Promise.reject(new Error("the queue is down")),
    };
    const other = createOutbox({ transactions });
    points = definePoints(broken, other);
    const app = await start(AftercommitModule.forRoot(options({ outbox: other })), OrdersModule);
    await app.get(Orders).confirm(1);
    await until(() => {
      expect(logged).toContainEqual(expect.stringContaining("the queue is down"));
    });
  });

  describe("does not start", () => {
    const refused = async (message: string, ...providers: Type[]) => {
      @Module({ providers })
      class Wrong {}
      await expect(start(AftercommitModule.forRoot(options()), Wrong)).rejects.toThrow(message);
      // What had been started by then is stopped.
      await transactions.run((tx) => points.enqueue(tx, { orderId: 1 }));
      await new Promise((resolve) => setTimeout(resolve, 60));
      expect(await outbox.list({ state: "waiting" })).toHaveLength(1);
    };

    test("with two handlers of one queue", async () => {
      @Injectable()
      class Twice {
        @JobHandler(points)
        one(): void {
          expect.fail();
        }
        @JobHandler("points")
        two(): void {
          expect.fail();
        }
      }
      await refused('Queue "points" has two methods with `JobHandler`: Twice.one and Twice.two', Twice);
    });

    test("with a handler of a queue that is not there", async () => {
      @Injectable()
      class Unknown {
        @JobHandler("pionts")
        handle(): void {
          expect.fail();
        }
      }
      await refused('There is no queue "pionts" among the `queues` of AftercommitModule (points)', Unknown);
    });

    test("with a handler that is made for each request", async () => {
      @Injectable({ scope: Scope.REQUEST })
      class ForRequests {
        @JobHandler("points")
        handle(): void {
          expect.fail();
        }
      }
      await refused("ForRequests.handle cannot handle jobs", ForRequests);
    });

    test("with a method that would hear of nothing", async () => {
      @Injectable()
      class Deaf {
        @OnJobFailed("points")
        tell(): void {
          expect.fail();
        }
      }
      await refused('Deaf.tell hears of queue "points", which has no `JobHandler`', Deaf);
    });

    test("when a queue that its factory promised is missing", async () => {
      const module = AftercommitModule.forRootAsync({ queues: ["points", "mails"], useFactory: () => options() });
      await expect(start(module)).rejects.toThrow('There is no queue "mails"');
    });
  });
});

test("the types know what a handler gets", () => {
  const queue = definePoints(memoryQueues(), afterCommit());
  class Typed {
    @JobHandler(queue)
    right({ payload }: Job<Points>): number {
      return payload.orderId;
    }

    // @ts-expect-error the payload has no `customerId`
    @JobHandler(queue)
    wrong({ payload }: Job<{ readonly customerId: number }>): number {
      return payload.customerId;
    }

    // @ts-expect-error nor has the one of a job that has failed
    @OnJobFailed(queue)
    wrongHook({ payload }: FailedJob<{ readonly customerId: number }>): unknown {
      return payload;
    }
  }
  expect(Typed).toBeDefined();
});
