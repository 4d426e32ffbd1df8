/**
 * Writes docs/supported-libraries.md from the catalogue, so that the page cannot say more than the plugin knows.
 * With `--check` it writes nothing, and fails when the page is not what the catalogue says. Needs `npm run build:rules`.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import type {
  AfterCommitMethod,
  AfterCommitSlot,
  Deadline,
  Dispatch,
  DurationSetting,
  ExternalEffect,
  Handler,
  HandlerTime,
  InsertIgnore,
  JobIdentity,
  KeySlot,
  LeaseAnchor,
  LeasePair,
  Library,
  LifecycleHook,
  ManualTransaction,
  NamedObject,
  NoLeasePair,
  OneOrMore,
  RandomSource,
  Slot,
  SqlText,
  StoreSlot,
  TransactionalDecorator,
  TransactionOpener,
} from "../rules/catalogue/vocabulary.ts";

const page = join(import.meta.dirname, "../docs/supported-libraries.md");
const catalogue = new URL("../rules/dist/catalogue/index.js", import.meta.url).href;
const { libraries } = (await import(catalogue)) as { readonly libraries: readonly Library[] };
const byName = [...libraries].sort((a, b) => a.name.localeCompare(b.name, "en", { sensitivity: "base" }));

function written(): string {
  return [
    "# Supported libraries",
    "<!-- Generated from rules/catalogue by `npm run docs:libraries`. Change the catalogue, not this page. -->",
    `The plugin knows ${libraries.length} libraries: what starts a job, what runs one, what opens a transaction and what ` +
      "waits for its end. A call counts when the library itself declares it, so your own `add()` or `transaction()` is " +
      "never meant; your own wrappers around these libraries are followed. A library that is missing here is one " +
      "[data file](contributing.md) away, and until then its functions can be named in `settings.aftercommit`.",
    "`Container.member` is how the library's own type declarations name a member. `*` stands for any.",
    section(
      "Overview",
      "",
      ["Library", "Packages", "What the plugin knows"],
      byName.map((library) => [library.name, packagesOf(library), topicsOf(library).join(", ")]),
    ),
    section(
      "Dispatches",
      "Calls that put a job, message or event on a queue or bus. `no-dispatch-in-transaction` reports them while a " +
        "transaction is open, unless they can join it and do.",
      ["Library", "Dispatch", "To"],
      rows((library) => library.dispatches, dispatchCells),
    ),
    section(
      "Handlers",
      "Functions that a worker calls with a job. Their code is where `no-random-id-in-handler` and " +
        "`no-job-id-as-idempotency-key` look.",
      ["Library", "What is a handler"],
      rows(
        (library) => library.handlers,
        (handler) => [handlerCell(handler)],
      ),
    ),
    section(
      "Identities of jobs, messages and runs",
      "The library's own ids: never an idempotency key, unless the dispatcher chose them from the business operation.",
      ["Library", "Identity", "The same", "Chosen by the dispatcher in"],
      rows((library) => library.identities, identityCells),
    ),
    section(
      "Deduplication and idempotency keys",
      "Where a key is given by which a queue or a provider recognises a repetition, and how long it does.",
      ["Library", "Key", "Kind", "Holds"],
      rows((library) => library.keys, keyCells),
    ),
    section(
      "Timeouts and leases",
      "Pairs that `require-timeout-below-retry-after` compares: the first has to stay below the second.",
      ["Library", "Pair", "At", "Timeout", "Lease"],
      rows((library) => library.leases, leaseCells),
    ),
    section(
      "Deadlines in a handler's code",
      "Limits that code sets to its own waiting. Together they tell how long a handler may run.",
      ["Library", "Set in"],
      grouped((library) => library.deadlines, deadlineCell),
    ),
    section(
      "Transactions",
      "The code inside the callback runs while the transaction is open.",
      ["Library", "Opened around a callback", "Remarks"],
      rows((library) => library.transactions, openerCells),
    ),
    section(
      "Begin and commit as calls of their own",
      "The statements between begin and commit or rollback run while the transaction is open.",
      ["Library", "Begin", "Commit", "Rollback"],
      rows((library) => library.manual, manualCells),
    ),
    section(
      "Begin and commit as SQL text",
      "Members whose text is read for `BEGIN`, `START TRANSACTION`, `COMMIT`, `END` and `ROLLBACK`. On a pool each " +
        "statement may use another connection, so that `BEGIN` there opens nothing.",
      ["Library", "Member", "On"],
      rows((library) => library.sql, sqlCells),
    ),
    section(
      "Inserts that ignore errors",
      "Members that `no-insert-ignore` reports, where the database is one for which they become that statement.",
      ["Library", "Member", "Becomes"],
      rows((library) => library.insertIgnores, insertIgnoreCells),
    ),
    section(
      "Transactional decorators",
      "The decorated method runs in a transaction.",
      ["Library", "Decorator", "Remarks"],
      rows((library) => library.decorators, decoratorCells),
    ),
    section(
      "Transaction handles",
      "A function that takes one runs in its caller's transaction. Where a plain client fits the same type, the type " +
        "alone proves nothing, and the plugin stays silent unless it sees the caller.",
      ["Library", "Proves an open transaction", "Proves nothing"],
      byName
        .filter((library) => library.handles)
        .map((library) => [library.name, handlesOf(library, true), handlesOf(library, false)]),
    ),
    section(
      "ORM hooks that run before the commit",
      "A dispatch in such a hook is a dispatch in a transaction.",
      ["Library", "Hook", "Runs in a transaction"],
      rows((library) => library.hooks, hookCells),
    ),
    section(
      "After the commit",
      "What is passed here runs when the transaction has ended: the place for a dispatch. What these hooks are worth " +
        "differs from library to library; some run although the commit failed, or at the end of a savepoint.",
      ["Library", "Slot", "Runs after"],
      [
        ...rows((library) => library.afterCommit, afterCommitCells),
        ...rows((library) => library.afterCommitMethods, methodCells),
      ].sort(([a = ""], [b = ""]) => a.localeCompare(b, "en", { sensitivity: "base" })),
    ),
    section(
      "Outside the transaction",
      "The callback runs outside any transaction.",
      ["Library", "Member"],
      grouped(
        (library) => library.outside,
        (outside) => members(outside.member),
      ),
    ),
    section(
      "External effects",
      "What leaves the process and no rollback takes back, though it is no dispatch.",
      ["Library", "Effect", "Kind"],
      rows((library) => library.effects, effectCells),
    ),
    section(
      "Locks",
      "They save work and guarantee nothing: `no-lock-as-guarantee` reports what only they keep from happening twice.",
      ["Library", "Lock", "Why two can be inside"],
      rows(
        (library) => library.locks,
        (lock) => [
          `${members(lock.member)}${lock.with ? ` with ${all(lock.with).map(code).join(" or ")}` : ""}`,
          lock.because,
        ],
      ),
    ),
    section(
      "Functions that retry",
      "A transaction inside is run again after an error: `no-effect-in-retried-transaction`.",
      ["Library", "Member"],
      grouped(
        (library) => (library.runners ?? []).filter(({ reruns }) => reruns),
        (runner) => members(runner.member),
      ),
    ),
    section(
      "Random values",
      "Values that are new each time a handler runs.",
      ["Library", "Member", "Makes"],
      rows((library) => library.randoms, randomCells),
    ),
    section(
      "Clock and calendar",
      "What reads the clock of the worker, and what makes a day or a month of it: `no-clock-day-in-handler` looks for them.",
      ["Library", "Clock", "Calendar"],
      byName
        .filter((library) => library.clocks ?? library.calendar)
        .map((library) => [
          library.name,
          members((library.clocks ?? []).flatMap(({ member }) => member)),
          members((library.calendar ?? []).flatMap(({ member }) => member)),
        ]),
    ),
    section(
      "Names of objects and files",
      "Where an object or a file is given the name under which it is stored.",
      ["Library", "Stored by"],
      grouped((library) => library.objects, objectCell),
    ),
    section(
      "Reads and inserts of a table",
      "Pairs that `no-check-then-insert` looks for in one function.",
      ["Library", "Read", "Insert"],
      byName
        .filter((library) => library.inserts)
        .map((library) => [
          library.name,
          members((library.reads ?? []).flatMap(({ member }) => member)),
          members((library.inserts ?? []).flatMap(({ member }) => member)),
        ]),
    ),
    section(
      "Errors of a handler",
      "A handler that returns has done its job, and one that throws is called again or shown as failed: where " +
        "`no-swallowed-job-error` looks.",
      ["Library", "Thrown when no retry can help"],
      byName
        .filter((library) => library.retriesOnThrow)
        .map((library) => [library.name, library.terminalError === undefined ? "" : code(library.terminalError)]),
    ),
    section(
      "Rollbacks after the commit",
      "Libraries whose rollback fails when the transaction is committed: `no-rollback-after-commit` looks for them.",
      ["Library", "Rollback", "Error"],
      byName.flatMap((library) => {
        const failing = (library.manual ?? []).filter(({ rollbackAfterCommit }) => rollbackAfterCommit !== undefined);
        const [first] = failing;
        return first ? [[library.name, members(first.rollback), first.rollbackAfterCommit ?? ""]] : [];
      }),
    ),
    section(
      "The same value at a retry",
      "Members that look random but give a replay the same value, and callbacks whose result is kept.",
      ["Library", "Replay-safe", "Kept results"],
      byName
        .filter((library) => library.replaySafe ?? library.memoised)
        .map((library) => [
          library.name,
          library.replaySafe ? members(library.replaySafe) : "",
          (library.memoised ?? []).map((step) => members(step.member)).join(", "),
        ]),
    ),
    section(
      "Stored rows",
      "Where a value becomes part of stored data.",
      ["Library", "Stored by"],
      grouped((library) => library.stores, storeCell),
    ),
  ]
    .filter(Boolean)
    .join("\n\n")
    .concat("\n");
}

/** A section with its table; without rows there is none. */
function section(title: string, about: string, head: readonly string[], body: readonly (readonly string[])[]): string {
  if (body.length === 0) return "";
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|") || "-").join(" | ")} |`;
  // prettier would pad every cell to the longest
  const table = [line(head), line(head.map(() => "---")), ...body.map(line)].join("\n");
  return [`## ${title}`, about, "<!-- prettier-ignore -->", table]
    .filter(Boolean)
    .join("\n\n")
    .replace("ignore -->\n", "ignore -->");
}

/** A row an entry; entries of a library that differ in nothing but their first cell share one. */
function rows<Entry>(
  entriesOf: (library: Library) => readonly Entry[] | undefined,
  cells: (entry: Entry) => readonly string[],
): readonly (readonly string[])[] {
  return byName.flatMap((library) => {
    const firstsOf = new Map<string, string[]>();
    for (const [first = "", ...rest] of (entriesOf(library) ?? []).map(cells)) {
      const key = JSON.stringify(rest);
      firstsOf.set(key, [...(firstsOf.get(key) ?? []), first]);
    }
    return [...firstsOf].map(([rest, firsts]) => [
      library.name,
      [...new Set(firsts)].join(", "),
      ...(JSON.parse(rest) as string[]),
    ]);
  });
}

/** A row a library. */
function grouped<Entry>(
  entriesOf: (library: Library) => readonly Entry[] | undefined,
  cell: (entry: Entry) => string,
): readonly (readonly string[])[] {
  return byName.flatMap((library) => {
    const entries = entriesOf(library) ?? [];
    return entries.length === 0 ? [] : [[library.name, [...new Set(entries.map(cell))].join(", ")]];
  });
}

function packagesOf({ packages, importedFrom, globals }: Library): string {
  const names = [...new Set([...packages, ...(importedFrom ?? [])])].map(code).join(", ");
  return globals ? `${names || "no package"}, global ${globals.map(code).join(", ")}` : names;
}

function topicsOf(library: Library): readonly string[] {
  const topics: readonly (readonly [string, readonly unknown[] | undefined])[] = [
    ["dispatches", library.dispatches],
    ["handlers", library.handlers],
    ["identities", library.identities],
    ["keys", library.keys],
    ["leases", library.leases],
    ["deadlines", library.deadlines],
    ["transactions", library.transactions],
    ["begin and commit", library.manual],
    ["SQL text", library.sql],
    ["decorators", library.decorators],
    ["handles", library.handles],
    ["hooks", library.hooks],
    ["after the commit", library.afterCommit ?? library.afterCommitMethods],
    ["effects", library.effects],
    ["retries", library.runners],
    ["locks", library.locks],
    ["random values", library.randoms],
    ["clock and calendar", library.clocks ?? library.calendar],
    ["names of objects", library.objects],
    ["reads and inserts", library.inserts],
    ["kept results", library.memoised],
    ["stored rows", library.stores],
    ["inserts that ignore errors", library.insertIgnores],
  ];
  return topics.filter(([, entries]) => entries !== undefined && entries.length > 0).map(([topic]) => topic);
}

function dispatchCells(dispatch: Dispatch): readonly string[] {
  const commands = all(dispatch.command).map(code).join(", ");
  const sent = dispatch.sentByCallOfResult
    ? ", sent by calling the result"
    : dispatch.sentBy
      ? `, sent by ${all(dispatch.sentBy)
          .map((name) => (name === "then" ? "`await`" : code(`.${name}()`)))
          .join(" or ")}`
      : "";
  const joins = dispatch.joins ? `; joins the transaction by ${all(dispatch.joins).map(joinText).join(" or ")}` : "";
  return [`${members(dispatch.member)}${commands ? ` of ${commands}` : ""}${sent}${joins}`, dispatch.to];
}

function joinText(join: Exclude<Dispatch["joins"], undefined> extends OneOrMore<infer One> ? One : never): string {
  if ("chained" in join) return code(`.${join.chained}()`);
  return "option" in join ? place(join.option) : `argument ${join.argument}`;
}

function handlerCell(handler: Handler): string {
  const batch = handler.batch ? " (several jobs at once)" : "";
  if ("registeredBy" in handler) {
    const events = handler.event ? ` for ${handler.event.oneOf.map(code).join(", ")}` : "";
    return `${place(handler.handler)} of ${members(handler.registeredBy)}${events}${batch}`;
  }
  if ("methodDecorator" in handler) return `method under ${members(handler.methodDecorator)}${batch}`;
  if ("methods" in handler) return `${methodsText(handler)}${batch}`;
  if ("proxiedBy" in handler) return `function that a worker runs for ${members(handler.proxiedBy)}${batch}`;
  const types = [
    handler.functionType ? `function of type ${members(handler.functionType)}` : "",
    handler.parameterType ? `function with a parameter of type ${members(handler.parameterType)}` : "",
  ];
  return `${types.filter(Boolean).join(", ")}${batch}`;
}

function methodsText(entry: AfterCommitMethod): string {
  const owners = [
    entry.extends ? `extends ${members(entry.extends)}` : "",
    entry.implements ? `implements ${members(entry.implements)}` : "",
    entry.classDecorator ? `stands under ${members(entry.classDecorator)}` : "",
  ].filter(Boolean);
  return `${members(entry.methods)} of a class that ${owners.join(" or ")}`;
}

function identityCells(identity: JobIdentity): readonly string[] {
  const stable = identity.stableOver === "retries" ? "at a retry" : "never: new at each delivery";
  const chosen = all(identity.chosenBy).map(({ member, slot }) => `${place(slot)} of ${members(member)}`);
  return [members(identity.property), stable, chosen.join(", ")];
}

function keyCells(key: KeySlot): readonly string[] {
  return [
    `${place(key.slot)} of ${members(key.member)}`,
    key.role === "dedup" ? "deduplication" : "idempotency",
    key.holds ?? "",
  ];
}

function leaseCells(pair: LeasePair | NoLeasePair): readonly string[] {
  if ("because" in pair) return [pair.id, "", pair.settings, `no pair: ${pair.because}`];
  const sides = { limit: "", renewal: " (renewal, at most half)", order: " (order)" };
  return [
    `${pair.id}${sides[pair.as]}`,
    anchorText(pair.at),
    all(pair.timeout).map(timeoutText).join(", else "),
    all(pair.lease).map(settingText).join(", else "),
  ];
}

function anchorText(anchor: LeaseAnchor): string {
  if ("call" in anchor) return members(anchor.call);
  return "extends" in anchor
    ? `class that extends ${code(anchor.extends)}`
    : `value of type ${members(anchor.annotated)}`;
}

function timeoutText(timeout: DurationSetting | HandlerTime): string {
  return "handler" in timeout ? "the deadlines in the handler's code" : settingText(timeout);
}

function settingText(setting: DurationSetting): string {
  const set = setting.slot ? all(setting.slot).map(place).join(" or ") : "";
  const fallback =
    setting.default === undefined ? "" : `${setting.defaultIs ?? "default"} ${duration(setting.default)}`;
  return [set, fallback].filter(Boolean).join(", ");
}

function duration(ms: number): string {
  if (ms % 3_600_000 === 0) return `${ms / 3_600_000} h`;
  if (ms % 60_000 === 0) return `${ms / 60_000} min`;
  return ms % 1000 === 0 ? `${ms / 1000} s` : `${ms} ms`;
}

function deadlineCell(deadline: Deadline): string {
  return `${all(deadline.slot).map(place).join(" and ")} of ${members(deadline.setBy ?? deadline.member)}`;
}

function openerCells(opener: TransactionOpener): readonly string[] {
  const remarks = [
    opener.handleType ? `handle ${code(opener.handleType)}` : "no handle",
    opener.returnsFunction ? "opens when the result is called" : "",
    opener.reruns ? "runs the callback again on conflicts" : "",
    opener.effect ? "the transaction is an Effect" : "",
    opener.outsideWhen ? `outside with ${all(opener.outsideWhen).map(code).join(", ")}` : "",
  ];
  return [members(opener.open), remarks.filter(Boolean).join("; ")];
}

function manualCells(manual: ManualTransaction): readonly string[] {
  const ran = manual.ranBy ? ` and its ${code(`.${manual.ranBy}()`)}` : "";
  const begin = `${members(manual.begin)}${manual.withoutCallback ? " without a callback" : ""}`;
  return [begin, `${members(manual.commit)}${ran}`, `${members(manual.rollback)}${ran}`];
}

function sqlCells(sql: SqlText): readonly string[] {
  const ran = sql.ranBy
    ? `, run by ${all(sql.ranBy)
        .map((name) => code(`.${name}()`))
        .join(", ")}`
    : "";
  return [`${members(sql.member)}${ran}`, sql.on === "pool" ? "a pool" : "a connection"];
}

function insertIgnoreCells({ member, when, as }: InsertIgnore): readonly string[] {
  const option = when ? ` with ${code(`${when.path ?? ""}: true`)}` : "";
  const becomes =
    typeof as === "string"
      ? code(as)
      : Object.entries(as.databases)
          .filter(([, statement]) => statement !== "ON CONFLICT")
          .map(([database, statement]) => `${code(statement)} with ${code(`${as.option}: "${database}"`)}`)
          .join(", ");
  return [`${members(member)}${option}`, becomes];
}

function decoratorCells(decorator: TransactionalDecorator): readonly string[] {
  const remarks = [
    decorator.outside ? `outside with ${all(decorator.outside).map(code).join(", ")}` : "",
    decorator.unknown ? `unknown with ${all(decorator.unknown).map(code).join(", ")}` : "",
    decorator.offWhenFalse ? `off with ${code(`${decorator.offWhenFalse}: false`)}` : "",
  ];
  return [members(decorator.decorator), remarks.filter(Boolean).join("; ")];
}

function handlesOf(library: Library, proves: boolean): string {
  const types = (library.handles ?? [])
    .filter((handle) => handle.proves === proves)
    .flatMap((handle) => all(handle.type));
  return types.length > 8
    ? `${types.slice(0, 8).map(code).join(", ")} and ${types.length - 8} more`
    : types.map(code).join(", ");
}

function hookCells(hook: LifecycleHook): readonly string[] {
  return [hookText(hook), hook.onlyInCallersTransaction ? "if the caller opened one" : "always"];
}

function hookText(hook: LifecycleHook): string {
  if ("methodDecorator" in hook) return `method under ${members(hook.methodDecorator)}`;
  if ("methods" in hook) return methodsText(hook);
  const events = hook.event ? ` for ${hook.event.oneOf.map(code).join(", ")}` : "";
  return `${place(hook.hook)} of ${members(hook.registeredBy)}${events}`;
}

/** What a slot waits for. */
const ends = { commit: "the commit", rollback: "a rollback", either: "either" };

function afterCommitCells(slot: AfterCommitSlot): readonly string[] {
  return [`${members(slot.member)}${slot.event ? ` for ${code(slot.event)}` : ""}`, ends[slot.after ?? "commit"]];
}

function methodCells(method: AfterCommitMethod): readonly string[] {
  return [methodsText(method), ends.either];
}

function effectCells(effect: ExternalEffect): readonly string[] {
  const commands = all(effect.command).map(code).join(", ");
  return [
    `${members(effect.member)}${commands ? ` of ${commands}` : ""}`,
    `${effect.kind}${effect.reads ? " (only reads)" : effect.method ? " (reads, unless its method says otherwise)" : ""}`,
  ];
}

function randomCells(random: RandomSource): readonly string[] {
  return [`${members(random.member)}${random.withoutArguments ? " without arguments" : ""}`, random.makes];
}

function objectCell({ member, slot }: NamedObject): string {
  return `${place(slot)} of ${members(member)}`;
}

function storeCell(store: StoreSlot): string {
  return `${members(store.member)}${store.insertsIn === undefined ? "" : " (`INSERT …`)"}`;
}

/** A place in the arguments: `options.jobId` is told by its path, else by its number. */
function place({ argument, path }: Slot): string {
  if (path !== undefined) return code(path);
  return argument === "last" ? "last argument" : `argument ${argument}`;
}

/** Members of one name are told by the container that declares them, and by how many more have them. */
function members(names: OneOrMore<string>): string {
  const containersOf = new Map<string, string[]>();
  for (const name of all(names)) {
    const dot = name.lastIndexOf(".");
    const member = name.slice(dot + 1);
    containersOf.set(member, [...(containersOf.get(member) ?? []), dot === -1 ? "" : name.slice(0, dot)]);
  }
  return [...containersOf]
    .map(([member, containers]) => {
      const whole = (container: string) =>
        code(container === "" ? member : member === "()" ? `${container}()` : `${container}.${member}`);
      const [first = ""] = containers;
      return containers.length > 3
        ? `${whole(first)} and ${containers.length - 1} more`
        : containers.map(whole).join(", ");
    })
    .join(", ");
}

function all<T>(value: OneOrMore<T> | undefined): readonly T[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? (value as readonly T[]) : [value as T];
}

function code(name: string): string {
  return `\`${name}\``;
}

const text = written();
if (!process.argv.includes("--check")) {
  writeFileSync(page, text);
} else if (readFileSync(page, "utf8") !== text) {
  console.error("docs/supported-libraries.md is not what the catalogue says. Run `npm run docs:libraries`.");
  process.exitCode = 1;
}
