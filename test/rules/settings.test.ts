import { readFileSync } from "node:fs";
import { join } from "node:path";
import { runInNewContext } from "node:vm";
import parser from "@typescript-eslint/parser";
import { Linter, type Rule } from "eslint";
import ts from "typescript";
import { describe, expect, test } from "vitest";
import { noDispatchInTransaction } from "../../rules/no-dispatch-in-transaction.js";
import { noRandomIdInHandler } from "../../rules/no-random-id-in-handler.js";
import { knowledgeFor, settingsSchema, type AftercommitSettings } from "../../rules/settings.js";

type Files = Readonly<Record<string, string>>;
type Mode = "typed" | "untyped";
type Message = Linter.LintMessage & { readonly file: string };

const rules = {
  dispatch: noDispatchInTransaction as unknown as Rule.RuleModule,
  random: noRandomIdInHandler as unknown as Rule.RuleModule,
};

/** What the libraries declare, as far as the cases need it. */
const libraries: Files = {
  "package.json": `{ "name": "shop" }`,
  "node_modules/bullmq/index.d.ts": `
    export declare class Queue { constructor(name: string); add(name: string, data: unknown): Promise<void>; }`,
  "node_modules/knex/index.d.ts": `
    export declare namespace Knex { interface Transaction { executionPromise: Promise<void>; isCompleted(): boolean } }`,
  "node_modules/@acme/db/index.d.ts": `
    export declare function withTransaction<T>(name: string, work: () => Promise<T>, options?: object): Promise<T>;
    export declare function afterCommit(work: () => unknown): void;
    export declare function Transactional(): MethodDecorator;
    export declare function Handles(name: string): MethodDecorator;
    export declare class Bus { publish(event: unknown): void }
    export declare class Consumer { constructor(topic: string, handle: (message: unknown) => unknown) }
    export declare function register(name: string, handle: (context: unknown, message: unknown) => unknown): void;`,
  "node_modules/typescript/lib/lib.d.ts": readFileSync(
    join(import.meta.dirname, "../../node_modules/typescript/lib/lib.es5.d.ts"),
    "utf8",
  ),
};

const root = "/shop";

/** Lints the files of a small project in memory, or one of them. */
function lint(files: Files, mode: Mode, settings: unknown, rule = rules.dispatch, program?: ts.Program): Message[] {
  const programs = mode === "typed" ? [program ?? programOf({ ...libraries, ...files })] : [];
  return sourcesOf(files).flatMap(([file, text]) => {
    const linter = new Linter({ cwd: root });
    const messages = linter.verify(
      text,
      {
        files: ["**/*.ts"],
        languageOptions: { parser: parser, parserOptions: mode === "typed" ? { programs } : {} },
        plugins: { aftercommit: { rules: { rule } } },
        rules: { "aftercommit/rule": "error" },
        settings: settings === undefined ? {} : { aftercommit: settings },
      },
      { filename: join(root, file) },
    );
    return messages.map((message) => ({ ...message, file }));
  });
}

function sourcesOf(files: Files): [file: string, text: string][] {
  return Object.entries(files).filter(([file]) => file.startsWith("src/"));
}

function programOf(files: Files): ts.Program {
  const all = new Map(Object.entries(files).map(([path, text]) => [join(root, path), text]));
  const options = {
    noLib: true,
    experimentalDecorators: true,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    target: ts.ScriptTarget.ESNext,
    paths: { "@/*": ["./src/*"] },
    pathsBasePath: root,
  };
  const host: ts.CompilerHost = {
    getSourceFile: (path, target) =>
      all.has(path) ? ts.createSourceFile(path, all.get(path) ?? "", target, true) : undefined,
    getDefaultLibFileName: () => "lib.d.ts",
    writeFile: () => undefined,
    getCurrentDirectory: () => root,
    getCanonicalFileName: (path) => path,
    useCaseSensitiveFileNames: () => true,
    getNewLine: () => "\n",
    fileExists: (path) => all.has(path),
    readFile: (path) => all.get(path),
    directoryExists: (path) => [...all.keys()].some((file) => file.startsWith(`${path}/`)),
  };
  return ts.createProgram({ rootNames: [...all.keys()].filter((path) => path.endsWith(".ts")), options, host });
}

/** Lines that end in `// report`, or in `// report typed` where a case can be seen with types only. */
function marked(files: Files, mode: Mode): string[] {
  return sourcesOf(files).flatMap(([file, text]) =>
    text.split("\n").flatMap((line, at) => {
      const mark = /\/\/ report\b *(\w*)/.exec(line);
      return mark && (mark[1] === "" || mark[1] === mode) ? [`${file}:${String(at + 1)}`] : [];
    }),
  );
}

function reported(messages: readonly Message[]): string[] {
  return messages.map(({ file, line, ruleId, message }) => (ruleId === null ? message : `${file}:${String(line)}`));
}

/** A case reports its marked lines under the settings, and nothing without them. */
function cases(
  title: string,
  settings: AftercommitSettings,
  table: Readonly<Record<string, Files>>,
  rule = rules.dispatch,
): void {
  describe(title, () => {
    for (const [name, files] of Object.entries(table)) {
      test.each(["typed", "untyped"] as const)(`${name} (%s)`, (mode) => {
        expect(reported(lint(files, mode, settings, rule))).toEqual(marked(files, mode));
        expect(reported(lint(files, mode, {}, rule))).toEqual([]);
      });
    }
  });
}

const queue = `import { Queue } from "bullmq"; const queue = new Queue("mail");`;
/** An opener whose transaction nobody sees: it hands its function to a value without a type. */
const opaque = (name: string) => `declare const pool: any;
export async function ${name}(label: string, work: () => unknown, options?: object) { return pool.run(work); }`;

cases(
  "transactions: a name, of any file of the project",
  { transactions: ["withTx"] },
  {
    "imported by a relative path": {
      "src/db.ts": opaque("withTx"),
      "src/orders.ts": `import { withTx } from "./db.js"; ${queue}
      export async function confirm() {
        await withTx("confirm", async () => {
          await queue.add("mail", {}); // report
        });
        await queue.add("mail", {});
      }`,
    },
    "imported by an alias": {
      "src/db/index.ts": opaque("withTx"),
      "src/orders.ts": `import { withTx } from "@/db"; ${queue}
      export const confirm = () => withTx("confirm", async () => {
        await queue.add("mail", {}); // report
      });`,
    },
    "in the same file": {
      "src/orders.ts": `${opaque("withTx")}
      ${queue}
      export const confirm = () => withTx("confirm", () => queue.add("mail", {})); // report`,
    },
    "made by a function of nobody knows": {
      "src/orders.ts": `${queue}
      declare function make(): any;
      const withTx = make();
      export const confirm = () => withTx(() => queue.add("mail", {})); // report`,
    },
    "imported as default": {
      "src/db.ts": opaque("withTx").replace("export async", "export default async"),
      "src/orders.ts": `import withTx from "./db.js"; ${queue}
      export const confirm = () => withTx("confirm", () => queue.add("mail", {})); // report`,
    },
    "not of a package, nor a method": {
      "node_modules/other/index.d.ts": `export declare function withTx(work: () => unknown): void;`,
      "src/db.ts": `declare const pool: any; export class Db { withTx(work: () => unknown) { return pool.run(work); } }`,
      "src/orders.ts": `import { withTx } from "other"; import { Db } from "./db.js"; ${queue}
      export const one = () => withTx(() => queue.add("mail", {}));
      export const other = (db: Db) => db.withTx(() => queue.add("mail", {}));`,
    },
  },
);

cases(
  "transactions: a method",
  { transactions: [{ from: "file", path: "src/db.ts", name: ["Db.run", "db.run"] }] },
  {
    "of an injected service": {
      "src/db.ts": `declare const pool: any; export class Db { run(work: () => unknown) { return pool.any(work); } }`,
      "src/orders.ts": `import { Db } from "./db.js"; ${queue}
      export class Orders {
        constructor(private readonly db: Db) {}
        async confirm() {
          await this.db.run(async () => {
            await queue.add("mail", {}); // report
          });
        }
      }`,
    },
    "of an object": {
      "src/db.ts": `declare const pool: any; export const db = { run: (work: () => unknown) => pool.any(work) };`,
      "src/orders.ts": `import { db } from "./db.js"; ${queue}
      export const confirm = () => db.run(() => queue.add("mail", {})); // report`,
    },
    "not of the same name in another file": {
      "src/other.ts": `declare const pool: any; export const db = { run: (work: () => unknown) => pool.any(work) };`,
      "src/orders.ts": `import { db } from "./other.js"; ${queue}
      export const confirm = () => db.run(() => queue.add("mail", {}));`,
    },
  },
);

cases(
  "transactions: a method of whatever class",
  { transactions: ["*.atomically"] },
  {
    "of an injected service, of an object": {
      "src/db.ts": `declare const pool: any;
      export class Db { atomically = (work: () => unknown) => pool.any(work); }
      export const db = { atomically(work: () => unknown) { return pool.any(work); } };`,
      "src/orders.ts": `import { db, Db } from "./db.js"; ${queue}
      export const one = (service: Db) => service.atomically(() => queue.add("mail", {})); // report
      export const other = () => db.atomically(() => queue.add("mail", {})); // report`,
    },
  },
);

cases(
  "transactions: of a package, with the index of the callback",
  { transactions: [{ from: "package", package: "@acme/db", name: "withTransaction", callback: 1 }] },
  {
    "only that argument runs inside": {
      "src/orders.ts": `import { withTransaction } from "@acme/db"; ${queue}
      export async function confirm(options: object) {
        await withTransaction("confirm", async () => {
          await queue.add("mail", {}); // report
        }, options);
      }`,
    },
  },
);

cases(
  "decorators",
  { decorators: ["@Atomic", { from: "package", package: "@acme/db", name: "Transactional" }] },
  {
    "of the project and of a package": {
      "src/atomic.ts": `declare const pool: any; export const Atomic = () => pool.decorator();`,
      "src/orders.ts": `import { Atomic } from "./atomic.js"; import { Transactional } from "@acme/db"; ${queue}
      export class Orders {
        @Atomic()
        async confirm() {
          await queue.add("mail", {}); // report
        }
        @Transactional()
        async cancel() {
          await queue.add("mail", {}); // report
        }
        async list() {
          await queue.add("mail", {});
        }
      }`,
    },
  },
);

cases(
  "dispatches",
  {
    transactions: ["withTx"],
    dispatches: [
      { from: "file", path: "src/bus.ts", name: "enqueue", to: "topic" },
      { from: "package", package: "@acme/db", name: "Bus.publish" },
      "@Publishes",
    ],
  },
  {
    "of the project and of a package": {
      "src/db.ts": opaque("withTx"),
      "src/bus.ts": `declare const broker: any; export const enqueue = (name: string) => broker.put(name);`,
      "src/publishes.ts": `declare const broker: any; export const Publishes = () => broker.decorator();`,
      "src/orders.ts": `import { withTx } from "./db.js"; import { enqueue } from "./bus.js"; import { Bus } from "@acme/db";
      export class Orders {
        constructor(private readonly bus: Bus) {}
        async confirm() {
          await withTx("confirm", async () => {
            enqueue("mail"); // report
            this.bus.publish({}); // report
          });
          enqueue("mail");
        }
      }`,
    },
  },
);

cases(
  "afterCommit",
  {
    transactions: ["withTx"],
    afterCommit: ["onCommit", { from: "package", package: "@acme/db", name: "afterCommit" }],
  },
  {
    "what is kept until the commit is silent": {
      "src/db.ts": `${opaque("withTx")}
      const kept: (() => unknown)[] = [];
      export function onCommit(work: () => unknown) { if (kept.length === 0) work(); else kept.push(work); }`,
      "src/orders.ts": `import { withTx, onCommit } from "./db.js"; import { afterCommit } from "@acme/db"; ${queue}
      export async function confirm() {
        await withTx("confirm", async () => {
          onCommit(() => queue.add("mail", {}));
          afterCommit(() => queue.add("mail", {}));
          await queue.add("mail", {}); // report
        });
      }`,
    },
  },
);

cases(
  "handlers",
  {
    handlers: [
      { from: "package", package: "@acme/db", name: ["register", "new Consumer", "@Handles"], job: 1 },
      "consume",
    ],
  },
  {
    "functions, constructors and decorators that take a handler": {
      "src/consume.ts": `declare const broker: any; export const consume = (name: string, handle: (message: any) => unknown) => broker.on(name, handle);`,
      "src/worker.ts": `import { register, Consumer, Handles } from "@acme/db"; import { randomUUID } from "node:crypto"; import { consume } from "./consume.js";
      declare const store: any;
      register("a", async (context, message) => {
        await store.save({ id: randomUUID() }); // report
      });
      new Consumer("b", async () => {
        await store.save({ id: randomUUID() }); // report
      });
      consume("c", async (message) => {
        await store.save({ id: randomUUID() }); // report
      });
      export class Mails {
        @Handles("d")
        async send() {
          await store.save({ id: randomUUID() }); // report
        }
      }
      export async function signUp() {
        await store.save({ id: randomUUID() });
      }`,
    },
  },
  rules.random,
);

cases(
  "ambientTransaction",
  { ambientTransaction: ["src/controllers/**", "**/*.{action,mutation}.ts"], afterCommit: ["onCommit"] },
  {
    "every function of the files": {
      "src/mails.ts": `${queue} export async function welcome() { await queue.add("mail", {}); }`,
      "src/controllers/orders.ts": `import { welcome } from "../mails.js"; import { onCommit } from "../commit.js"; ${queue}
      declare const router: any;
      export class Orders {
        async confirm() {
          await queue.add("mail", {}); // report
          onCommit(() => queue.add("mail", {}));
        }
      }
      export const cancel = () => welcome(); // report typed
      router.post("/orders", async () => {
        await queue.add("mail", {}); // report
      });
      export default function routes(app: any) {
        app.put("/orders", async () => {
          await queue.add("mail", {}); // report
        });
        app.on("ready", () => queue.add("mail", {}));
      }
      async function notify() {
        await queue.add("mail", {}); // report
      }
      export const refund = () => notify();`,
      "src/sign-up.action.ts": `${queue} export const signUp = () => queue.add("mail", {}); // report`,
    },
  },
);

cases(
  "dispatches: what they send, for the rules on handlers",
  { handlers: ["consume"], dispatches: [{ from: "file", name: "put", payload: 1 }, "send"] },
  {
    "an id that is new in each run": {
      "src/bus.ts": `declare const broker: any;
      export const consume = (name: string, handle: (message: any) => unknown) => broker.on(name, handle);
      export const put = (options: object, payload: object) => broker.any(options, payload);
      export const send = (name: string, payload: object) => broker.any(name, payload);`,
      "src/worker.ts": `import { consume, put, send } from "./bus.js"; import { randomUUID } from "node:crypto";
      consume("c", async () => {
        await put({ orderId: randomUUID() }, {});
        await put({}, { orderId: randomUUID() }); // report
        await send("mail", { orderId: randomUUID() }); // report
      });`,
    },
  },
  rules.random,
);

test("the handle of an opener is known by its type where there are no types", () => {
  const files = {
    "src/db.ts": opaque("withTx"),
    "src/orders.ts": `import { withTx } from "./db.js"; ${queue}
      export const confirm = () => withTx("confirm", (trx) => {
        trx.executionPromise.then(() => queue.add("mail", {}));
      });`,
  };
  const opener = { from: "file", path: "src/db.ts", name: "withTx" } as const;
  const handle = { from: "package", package: "knex", name: "Transaction" } as const;
  expect(reported(lint(files, "untyped", { transactions: [opener] }))).toEqual(["src/orders.ts:3"]);
  expect(reported(lint(files, "untyped", { transactions: [{ ...opener, handle }] }))).toEqual([]);
});

test.each(["typed", "untyped"] as const)(
  "a slot of the settings is suggested where the file imports it (%s)",
  (mode) => {
    const files = {
      "src/db.ts": `${opaque("withTx")}\ndeclare const kept: any; export const onCommit = (work: () => unknown) => kept.push(work);`,
      "src/orders.ts": `import { withTx, onCommit } from "./db.js"; ${queue}
export const confirm = () => withTx("confirm", async () => {
  await queue.add("mail", {});
});`,
    };
    const suggestions = (callback: number) =>
      lint(files, mode, {
        transactions: ["withTx"],
        afterCommit: [{ from: "file", path: "src/db.ts", name: "onCommit", callback }],
      }).flatMap((message) => message.suggestions ?? []);
    expect(suggestions(0).map(({ fix }) => fix.text)).toEqual(
      [`onCommit(() => queue.add("mail", {})`].map((text) => `${text})`),
    );
    expect(suggestions(1)).toEqual([]);
  },
);

test("the message of an ambient transaction names the setting that says so", () => {
  const files = { "src/controllers/orders.ts": `${queue} export const confirm = () => queue.add("mail", {});` };
  const [message] = lint(files, "untyped", { ambientTransaction: ["src/controllers/**"] });
  expect(message?.message).toContain(
    '`settings.aftercommit.ambientTransaction` ("src/controllers/**") says that this file runs in a transaction',
  );
});

test("each config has its own settings, in one process and of one program", () => {
  const files = {
    "src/db.ts": `${opaque("one")}\n${opaque("other").replace("declare const pool: any;", "")}`,
    "src/orders.ts": `import { one, other } from "./db.js"; ${queue}
      export const first = () => one("a", () => queue.add("mail", {}));
      export const second = () => other("b", () => queue.add("mail", {}));`,
  };
  const program = programOf({ ...libraries, ...files });
  for (const mode of ["typed", "untyped", "typed"] as const) {
    expect(reported(lint(files, mode, { transactions: ["one"] }, rules.dispatch, program))).toEqual([
      "src/orders.ts:2",
    ]);
    expect(reported(lint(files, mode, { transactions: ["other"] }, rules.dispatch, program))).toEqual([
      "src/orders.ts:3",
    ]);
    expect(reported(lint(files, mode, { transactions: ["one", "other"] }, rules.dispatch, program))).toEqual([
      "src/orders.ts:2",
      "src/orders.ts:3",
    ]);
    expect(reported(lint(files, mode, undefined, rules.dispatch, program))).toEqual([]);
  }
});

test("the same settings are read once, whoever wrote them down", () => {
  const settings = () => ({ aftercommit: { transactions: ["withTx"] } });
  expect(knowledgeFor(settings())).toBe(knowledgeFor(settings()));
  expect(knowledgeFor(settings())).not.toBe(knowledgeFor({ aftercommit: { transactions: ["other"] } }));
  expect(knowledgeFor({})).toBe(knowledgeFor(undefined));
});

const wrong: Readonly<Record<string, readonly [settings: unknown, path: string, problem: string]>> = {
  "no object": ["withTx", "settings.aftercommit", 'is "withTx". Allowed: an object'],
  "an array": [[], "settings.aftercommit", "is an empty array. Allowed: an object"],
  null: [null, "settings.aftercommit", "is null. Allowed: an object"],
  "an unknown key": [
    { openers: [] },
    "settings.aftercommit.openers",
    'is not a setting. Allowed: "transactions", "decorators", "dispatches", "handlers", "afterCommit", "ambientTransaction"',
  ],
  "no list": [
    { transactions: "withTx" },
    "settings.aftercommit.transactions",
    'is "withTx". Allowed: an array of: a name',
  ],
  "an empty name": [{ transactions: ["a", ""] }, "settings.aftercommit.transactions[1]", 'is "". Allowed: a name'],
  "an empty list of names": [
    { transactions: [{ from: "file", name: [] }] },
    "settings.aftercommit.transactions[0].name",
    "is an empty array. Allowed: an array that is not empty of: a name",
  ],
  "an empty name in a list": [
    { transactions: [{ from: "file", name: ["a", " "] }] },
    "settings.aftercommit.transactions[0].name[1]",
    'is " ". Allowed: a name',
  ],
  "no name of a member": [
    { dispatches: ["queue add"] },
    "settings.aftercommit.dispatches[0]",
    'is "queue add". Allowed: a name',
  ],
  "a call": [{ dispatches: ["enqueue()"] }, "settings.aftercommit.dispatches[0]", 'is "enqueue()". Allowed: a name'],
  "a path of members": [{ dispatches: ["a.b.c"] }, "settings.aftercommit.dispatches[0]", 'is "a.b.c". Allowed: a name'],
  "a decorator that opens": [
    { transactions: ["@Atomic"] },
    "settings.aftercommit.transactions[0]",
    'is "@Atomic". Allowed: a name',
  ],
  "a constructor that dispatches": [
    { dispatches: ["new Job"] },
    "settings.aftercommit.dispatches[0]",
    'is "new Job". Allowed: a name',
  ],
  "no `from`": [
    { transactions: [{ name: "a" }] },
    "settings.aftercommit.transactions[0].from",
    'is missing. Allowed: "package", "file"',
  ],
  "an unknown `from`": [
    { transactions: [{ from: "lib", name: "a" }] },
    "settings.aftercommit.transactions[0].from",
    'is "lib". Allowed: "package", "file"',
  ],
  "no package": [
    { transactions: [{ from: "package", name: "a" }] },
    "settings.aftercommit.transactions[0].package",
    "is missing. Allowed: the name of a package",
  ],
  "a subpath of a package": [
    { transactions: [{ from: "package", package: "a/b", name: "a" }] },
    "settings.aftercommit.transactions[0].package",
    'is "a/b". Allowed: the name of a package',
  ],
  "a package of a file": [
    { transactions: [{ from: "file", package: "a", name: "a" }] },
    "settings.aftercommit.transactions[0].package",
    'is not a setting. Allowed: "from", "name", "path", "callback", "handle"',
  ],
  "no name": [
    { afterCommit: [{ from: "file", path: "src/db.ts" }] },
    "settings.aftercommit.afterCommit[0].name",
    "is missing. Allowed: a name",
  ],
  "an empty path": [
    { handlers: [{ from: "file", path: "", name: "a" }] },
    "settings.aftercommit.handlers[0].path",
    'is "". Allowed: the path of a file',
  ],
  "a wrong option": [
    { decorators: [{ from: "file", name: "A", callback: 0 }] },
    "settings.aftercommit.decorators[0].callback",
    'is not a setting. Allowed: "from", "name", "path"',
  ],
  "an index that is none": [
    { transactions: [{ from: "file", name: "a", callback: "last" }] },
    "settings.aftercommit.transactions[0].callback",
    'is "last". Allowed: the index',
  ],
  "a negative index": [
    { handlers: [{ from: "file", name: "a", job: -1 }] },
    "settings.aftercommit.handlers[0].job",
    "is -1. Allowed: the index",
  ],
  "a kind of target that is none": [
    { dispatches: [{ from: "file", name: "a", to: "kafka" }] },
    "settings.aftercommit.dispatches[0].to",
    'is "kafka". Allowed: "queue", "topic", "workflow", "in-process bus", "pub/sub"',
  ],
  "a handle without a package": [
    { transactions: [{ from: "file", name: "a", handle: 0 }] },
    "settings.aftercommit.transactions[0].handle",
    'is 0. Allowed: { "from": "package"',
  ],
  "a pattern that is none": [
    { ambientTransaction: [/controllers/] },
    "settings.aftercommit.ambientTransaction[0]",
    "is an object. Allowed: a path or pattern of files",
  ],
  "what has no form as JSON": [
    { transactions: [10n] },
    "settings.aftercommit.transactions[0]",
    "is 10. Allowed: a name",
  ],
};

describe("wrong settings", () => {
  const files = { "src/orders.ts": queue };

  test.each(Object.entries(wrong))("%s", (_, [settings, path, problem]) => {
    expect(() => lint(files, "untyped", settings)).toThrow(`\`${path}\` ${problem}`);
  });

  test("the error says where the settings are explained", () => {
    expect(() => knowledgeFor({ aftercommit: { openers: [] } })).toThrow("docs/settings.md");
    expect(() => knowledgeFor({ aftercommit: { openers: [] } })).toThrow(
      expect.objectContaining({ name: "SettingsError", code: "AFTERCOMMIT_SETTINGS" }) as Error,
    );
  });
});

test("the schema for editors says the same", async () => {
  await expect(`${JSON.stringify(settingsSchema, null, 2)}\n`).toMatchFileSnapshot("../../rules/settings.schema.json");
});

test("the examples of the documentation are settings", () => {
  const page = readFileSync(join(import.meta.dirname, "../../docs/settings.md"), "utf8");
  const examples = [
    ...page.matchAll(
      /^```js\n((?:transactions|decorators|dispatches|handlers|afterCommit|ambientTransaction): [\s\S]*?)^```/gm,
    ),
  ];
  expect(examples).toHaveLength(6);
  for (const [, code = ""] of examples) {
    expect(() => knowledgeFor({ aftercommit: runInNewContext(`({ ${code} })`) as object }), code).not.toThrow();
  }
});
