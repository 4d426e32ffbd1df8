/**
 * The words a catalogue entry is written in. An entry is data: what the members of one library mean for jobs and
 * transactions. How code is searched for them is the business of `analysis/`, which knows no library.
 */

/**
 * A member of a library, as the library's own declarations name it:
 *
 * - `"Queue.add"`     member `add` of class, interface, type alias or variable `Queue`
 * - `"*.create"`      member `create` of whatever container of this library
 * - `"nanoid"`        an exported function (or a variable that is called)
 * - `"new Worker"`    the constructor of an exported class
 * - `"@Processor"`    a decorator
 * - `"default"`       the default export, called
 * - `"Sql.()"`        a value of `Sql`, itself called or used as a template tag (`sql(…)`, sql`…`)
 * - `"Transaction.executionPromise.then"`  member `then` of what property `executionPromise` holds
 */
export type Member = string;

export type OneOrMore<T> = T | readonly T[];

/** Index of an argument, or "last" where overloads shift it; where a function is meant, the last that can be one. */
export type ArgumentIndex = number | "last";

/**
 * A place inside an argument: `{ argument: 1, path: "opts.jobId" }`; in the path `[]` stands for every array element
 * (`"[].data"`, `"messages[].key"`) and `*` for every property (`"taskList.*"`). Names below `headers` are those of HTTP,
 * which come in any case.
 */
export interface Slot {
  readonly argument: ArgumentIndex;
  /** Property path inside the argument; absent: the argument itself. */
  readonly path?: string;
}

export type DispatchTarget = "queue" | "topic" | "workflow" | "in-process bus" | "pub/sub";

/** Puts a job, message or event on a queue or bus. */
export interface Dispatch {
  readonly member: OneOrMore<Member>;
  readonly to: DispatchTarget;
  /**
   * Where the payload stands; several places where overloads differ (`add(data)`, `add(name, data)`). With `command` the
   * place is one in the command's input.
   */
  readonly payload?: OneOrMore<Slot>;
  /**
   * The member only builds; one of these members, called on the result, sends. A builder that is itself a promise
   * (thenable) names `"then"`: awaiting it sends.
   */
  readonly sentBy?: OneOrMore<string>;
  /** The result is a function, or an object of functions, and calling it sends (`DBOS.startWorkflow(fn)(args)`). */
  readonly sentByCallOfResult?: true;
  /** Counts only where argument 0 is an instance of one of these classes (AWS SDK v3: `client.send(new XCommand())`). */
  readonly command?: OneOrMore<string>;
  /** How this dispatch can be made part of the open transaction; absent: it cannot. */
  readonly joins?: OneOrMore<Join>;
  /** It cannot, but this, written in its place, can: `"client.enqueueInTransaction(transaction, …)"`. */
  readonly joinsAs?: string;
}

/** A way in which a dispatch takes part in the caller's transaction. */
export type Join =
  /** An option holds the handle, or an adapter built from it: `send(…, { db: fromKnex(trx) })`. */
  | { readonly option: Slot; readonly adapters?: readonly Adapter[] }
  /** An argument is the handle itself: `enqueueInTransaction(client, …)`. */
  | { readonly argument: number }
  /** A member of the builder takes it: `X.dispatch(p).with(knex(trx))`. */
  | { readonly chained: string };

/** How the value of an option is written for the handle of one library: what a suggestion adds. */
export interface Adapter {
  /** The package whose transaction it is. */
  readonly handleOf: string;
  /** The expression; `$` stands for the handle. */
  readonly expression: string;
  /** What it needs, as names of modules and their exports. */
  readonly imports?: readonly (readonly [module: string, name: string])[];
}

/** How a function becomes the handler of jobs, and where it finds the job. */
export type Handler = {
  /** What the handler's first parameter (or the one named here) is. */
  readonly job?: number;
  /** The handler gets an array of jobs. */
  readonly batch?: true;
  /** Property of the parameter under which the job stands (`helpers.job`, `{ event }`). */
  readonly jobAt?: string;
} & (
  | {
      /** Passed to a call or constructor. */
      readonly registeredBy: OneOrMore<Member>;
      readonly handler: Slot;
      /** Counts only where this argument is one of these strings (`subscription.on('message', …)`). */
      readonly event?: { readonly argument: number; readonly oneOf: readonly string[] };
    }
  | {
      /** A method under this decorator (`@Process()`, `@OnEvent()`). */
      readonly methodDecorator: OneOrMore<Member>;
    }
  | {
      /** These methods of a class that extends or implements the base, or stands under the decorator. */
      readonly methods: OneOrMore<string>;
      readonly extends?: OneOrMore<string>;
      readonly implements?: OneOrMore<string>;
      readonly classDecorator?: OneOrMore<Member>;
    }
  | {
      /** A function with such a type, or with a parameter of one of these types (`SQSHandler`, `SQSEvent`, `Job`). */
      readonly functionType?: OneOrMore<string>;
      readonly parameterType?: OneOrMore<string>;
    }
  | {
      /** Called through what this member returns: a worker runs the exported function of that name (`proxyActivities`). */
      readonly proxiedBy: OneOrMore<Member>;
    }
);

/** An identity that a queue or library gives to a job, message, delivery or run. */
export interface JobIdentity {
  /** `"Job.id"`: property `id` of type `Job`; a dotted path may go deeper (`"Message.fields.deliveryTag"`). */
  readonly property: OneOrMore<string>;
  /**
   * `"retries"`: the same when the queue delivers again, new when the operation is dispatched again.
   * `"nothing"`: new at each delivery (receipt handles, delivery tags, tokens).
   */
  readonly stableOver: "retries" | "nothing";
  /** The same value when the dispatcher chose it: the dispatch slot that sets it (`jobId`). */
  readonly chosenBy?: OneOrMore<{ readonly member: OneOrMore<Member>; readonly slot: Slot }>;
}

/** Where a key is given that something else deduplicates by. */
export interface KeySlot {
  readonly member: OneOrMore<Member>;
  readonly slot: Slot;
  /** `"dedup"`: the queue drops a second dispatch with the same key; `"idempotency"`: a provider answers the first result again. */
  readonly role: "dedup" | "idempotency";
  /** The arguments behind the slot's are parts of the key as well (`idempotencyKey(operation, ...parts)`). */
  readonly andFollowing?: true;
  /** How long or while what the key holds, for the message: `"5 minutes"`, `"while the job record exists"`. */
  readonly holds?: string;
  /**
   * The slot holds no key but a path to it (JMESPath) into the first parameter of the function that is made idempotent
   * (`"Records[0].messageId"`); without a path the whole parameter is the key.
   */
  readonly isPathIntoEvent?: true;
}

/** Opens a transaction around a callback. */
export interface TransactionOpener {
  readonly open: OneOrMore<Member>;
  readonly callback: ArgumentIndex;
  /** Parameter of the callback that is the transaction's handle; absent: none (ambient). */
  readonly handle?: ArgumentIndex;
  /** Type of the handle as the library names it (for files without type information). */
  readonly handleType?: string;
  /** Package of the handle's type, if not the library's own. */
  readonly handlePackage?: string;
  /** Only where this option is `true`: `work(name, { transactional: true }, handler)`. */
  readonly when?: Slot;
  /** The callback runs when the result is called (`better-sqlite3`'s `db.transaction(fn)`). */
  readonly returnsFunction?: true;
  /** The library runs the callback again on conflicts; a slot: only where this option is set to something, a number above this one (0). */
  readonly reruns?: true | (Slot & { readonly above?: number });
  /** The transaction is an Effect, given as this argument or piped in; there is no callback. */
  readonly effect?: true;
  /** With this property of argument 0 or of an options object set to one of these names the code runs outside. */
  readonly outsideWhen?: OneOrMore<string>;
  /** The client has one connection, so that what is sent through it in the callback is in the transaction as well. */
  readonly sharesConnection?: true;
  /** Called in the callback without an error, these undo the transaction, and its promise resolves all the same. */
  readonly resolvesAfter?: OneOrMore<Member>;
}

/** Begin and commit are calls of their own. */
export interface ManualTransaction {
  readonly begin: OneOrMore<Member>;
  /** What later carries `commit`: the awaited result of begin, or the object that begin was called on. */
  readonly handle: "result" | "receiver" | "result of call";
  /** Begin is meant only when no function is passed (`knex.transaction()`). */
  readonly withoutCallback?: true;
  readonly commit: OneOrMore<Member>;
  readonly rollback: OneOrMore<Member>;
  /** `commit()` only builds; this member runs it (`trx.commit().execute()`). */
  readonly ranBy?: string;
  /** The error with which a rollback fails after the commit; absent: it does nothing then, or nobody knows. */
  readonly rollbackAfterCommit?: string;
  /** `commit()` resolves although COMMIT failed; what is awaited to know better: `"$.executionPromise"`, with `$` for the handle. */
  readonly provenBy?: string;
}

/** A method that takes SQL text as argument 0 (or as a tagged template): BEGIN … COMMIT may be given there. */
export interface SqlText {
  readonly member: OneOrMore<Member>;
  /** `"connection"`: all statements use one connection; `"pool"`: each may use another, BEGIN there opens nothing. */
  readonly on: "connection" | "pool";
  /** The member only prepares the text; these members of the result run it (`db.prepare("BEGIN").run()`). */
  readonly ranBy?: OneOrMore<string>;
  /** A pool for sure (others may be made over one connection): how all statements get the same connection. */
  readonly instead?: string;
  /** Connections that the pool extends in the types: they do not make it one. */
  readonly inherits?: OneOrMore<string>;
  /** The option that, when it is 1, leaves the pool one connection. */
  readonly size?: string;
  /** The result may be handed to the library instead, which sends several in one transaction (`$transaction([…])`). */
  readonly batched?: true;
}

/** A statement that takes part in a transaction only by what it is given. */
export interface Statement {
  readonly member: OneOrMore<Member>;
  /** What brings the handle; absent: it never takes part. */
  readonly joins?: OneOrMore<Join>;
  /** It only begins a chain, which is sent where it is awaited. */
  readonly sentByChain?: true;
  /** What it is a member of can be bound to the handle before. */
  readonly isBindable?: true;
}

/** How statements come to run beside the transaction in whose code they stand. */
export interface Beside {
  /** Members of a client that send no statement: `$connect`. */
  readonly idle?: OneOrMore<string>;
  /**
   * Types of what is injected and sends over a client that nobody names, such as repositories; and how one is had from
   * the handle: `"$.withRepository(…)"`, where `$` stands for the handle.
   */
  readonly through?: { readonly type: OneOrMore<string>; readonly instead: string };
  readonly statements?: readonly Statement[];
  /** Other packages of whose transactions the statements can be a part. */
  readonly partOf?: OneOrMore<string>;
  /** A word that, anywhere in the project, says that statements take part by themselves (`useCLS`). */
  readonly unless?: string;
  /** What makes a client: where a project makes several, nobody knows which one a model or repository uses. */
  readonly madeBy?: OneOrMore<string>;
  /** The client has one connection, and waits until the transaction is over: inside it, for ever. */
  readonly waits?: true;
}

/** A decorator that runs the method in a transaction. */
export interface TransactionalDecorator {
  readonly decorator: OneOrMore<Member>;
  /** Enum members or strings, anywhere in the arguments, with which the method runs outside (`NEVER`). */
  readonly outside?: OneOrMore<string>;
  /** With these nothing can be said (`SUPPORTS`). */
  readonly unknown?: OneOrMore<string>;
  /** Property of the options that switches it off when `false` (`transactional`). */
  readonly offWhenFalse?: string;
}

/** A type whose values are open transactions. */
export interface HandleType {
  readonly type: OneOrMore<string>;
  /** `true`: a pool or client is not assignable to it, so a parameter of this type proves an open transaction. */
  readonly proves: boolean;
}

/** Code that an ORM runs inside its transaction, before the commit. */
export type LifecycleHook = {
  /**
   * The ORM opens no transaction of its own around the statement: the hook stands in one only when the caller's save
   * does (`Order.create(values, { transaction })`). Absent: the hook always runs before a commit.
   */
  readonly onlyInCallersTransaction?: true;
} & (
  | { readonly methodDecorator: OneOrMore<Member> }
  | {
      readonly methods: OneOrMore<string>;
      readonly extends?: OneOrMore<string>;
      readonly implements?: OneOrMore<string>;
      readonly classDecorator?: OneOrMore<Member>;
    }
  | {
      readonly registeredBy: OneOrMore<Member>;
      readonly hook: Slot;
      /** Counts only where this argument is one of these strings (`addHook('afterCreate', …)`). */
      readonly event?: { readonly argument: number; readonly oneOf: readonly string[] };
    }
);

/** Keeps a function and runs it after the commit (or after the end) of the transaction. */
export interface AfterCommitSlot {
  readonly member: OneOrMore<Member>;
  readonly callback: ArgumentIndex;
  /** Counts only where argument 0 is this string (`trx.after('commit', fn)`). */
  readonly event?: string;
  /** Runs after a rollback, not after a commit: deferred all the same. */
  readonly after?: "commit" | "rollback" | "either";
  /** What is kept is an Effect, given as this argument or piped in. */
  readonly effect?: true;
  /** It runs at other times as well. */
  readonly unreliable?: UnreliableSlot;
}

/** When a function runs that was kept for the commit, although nothing was committed. */
export interface UnreliableSlot {
  readonly runs: "where COMMIT failed" | "for each attempt";
  /** What to do instead, as the end of a sentence. */
  readonly instead: string;
  /** A word that, anywhere in the project, says that somebody took care. */
  readonly unless?: string;
}

/** Methods that the library calls after the commit, on a class that it knows (`afterTransactionCommit(event)`). */
export interface AfterCommitMethod {
  readonly methods: OneOrMore<string>;
  readonly extends?: OneOrMore<string>;
  readonly implements?: OneOrMore<string>;
  readonly classDecorator?: OneOrMore<Member>;
  /** They run at the end of each nested transaction too: how the outermost one is told, and since which version. */
  readonly everyLevel?: {
    /** A condition that holds at the outermost commit only: `event` is the first parameter. */
    readonly outermost: string;
    readonly since?: { readonly package: string; readonly version: string };
  };
}

/** A promise that resolves although the server answered COMMIT with ROLLBACK: on PostgreSQL, once a statement has failed. */
export interface HiddenRollback {
  /** Handles of that database, where types tell. */
  readonly handles?: OneOrMore<string>;
  /** An option whose values in the project tell the database, and those that mean PostgreSQL. */
  readonly option?: string;
  readonly databases?: readonly string[];
  /** Drivers that answer with an error. */
  readonly unless?: OneOrMore<string>;
}

/** Runs its callback outside any transaction (`txHost.withoutTransaction(fn)`). */
export interface OutsideTransaction {
  readonly member: OneOrMore<Member>;
  readonly callback: ArgumentIndex;
}

/** Runs its callback while it is awaited: retry helpers, tracing spans, concurrency limits. */
export interface Runner {
  readonly member: OneOrMore<Member>;
  readonly callback: ArgumentIndex;
  /** It runs the callback again when it failed. */
  readonly reruns?: true;
}

/** Lets only one caller at a time, or only the first, go on. It saves work, and guarantees nothing. */
export interface Lock {
  readonly member: OneOrMore<Member>;
  /** The function that runs under it; absent: what follows the call. */
  readonly callback?: ArgumentIndex;
  /** Counts only with one of these among the arguments, as a string or a property (`"NX"`). */
  readonly with?: OneOrMore<string>;
  /** Why two can be inside all the same, as a sentence about "it". */
  readonly because: string;
}

/** Something that leaves the process and that no rollback takes back; not a dispatch. */
export interface ExternalEffect {
  readonly member: OneOrMore<Member>;
  readonly kind: "http" | "mail" | "payment" | "message" | "object store" | "cache" | "lock" | "websocket" | "model";
  /** Only reads: holds the transaction open, but leaves nothing behind. */
  readonly reads?: true;
  /** Where the HTTP method stands: without one, or with `GET` and its like, it only reads. */
  readonly method?: OneOrMore<Slot>;
  readonly command?: OneOrMore<string>;
  /** With one of these among the arguments, as a string or a property, it does something else (`"NX"` takes a lock). */
  readonly unless?: OneOrMore<string>;
}

/** Makes a value that is new each time. */
export interface RandomSource {
  readonly member: OneOrMore<Member>;
  /** What a reader calls it: `"random UUID"`. */
  readonly makes: string;
  /** Only without arguments: `new ObjectId()` makes a value, `new ObjectId(text)` reads one. */
  readonly withoutArguments?: true;
  /** The result is a function, and calling it makes the value (`customAlphabet(…)`). */
  readonly returnsFunction?: true;
}

/** Reads the clock of the machine that runs the code. */
export interface Clock {
  readonly member: OneOrMore<Member>;
  /** Only without arguments: `new Date()` reads the clock, `new Date(text)` a text. */
  readonly withoutArguments?: true;
  /** What it gives is a day, not a moment: `startOfToday()`. */
  readonly gives?: "day";
}

/** Makes a day, a month or another stretch of the calendar of a moment, which is the receiver or else argument 0. */
export interface CalendarPart {
  readonly member: OneOrMore<Member>;
  /** The result is text that begins with the day: it is one where it is cut (`toISOString().slice(0, 10)`). */
  readonly cut?: true;
  /** This argument is a pattern (`"yyyy-MM-dd"`): with letters for the hour it gives a moment. */
  readonly pattern?: number;
  /** Counts only where this argument names a day or something longer (`startOf("month")`). */
  readonly unit?: number;
  /** Changes the receiver, and counts where argument 0 is one of these numbers (`setHours(0, 0, 0, 0)`). */
  readonly sets?: readonly number[];
}

/** Stores an object or a file under a name. */
export interface NamedObject {
  readonly member: OneOrMore<Member>;
  readonly slot: Slot;
  /** Where files stand that are often only for the run. */
  readonly isLocal?: true;
}

/** A call whose result holds what it was given, under this property (`schema.safeParse(order).data`). */
export interface PassedOn {
  readonly member: OneOrMore<Member>;
  readonly argument: number;
  readonly as: string;
}

/** Stores rows: where a value given here becomes part of stored data. */
export interface StoreSlot {
  readonly member: OneOrMore<Member>;
  readonly slot: Slot;
  /** The arguments behind the slot's are stored as well (`run(id, name)`; the values of a template tag). */
  readonly andFollowing?: true;
  /**
   * Counts only where this argument is SQL text that inserts (`INSERT …`); `"receiver"`: the text that the receiver
   * was prepared from.
   */
  readonly insertsIn?: number | "receiver";
  /** An upsert that takes the row with the same value in any unique column: what else it is given makes no second one. */
  readonly meetsUnique?: true;
  /** The place tells which row is changed, and stores nothing by itself: the `where` of an update. */
  readonly finds?: true;
}

/** Reads rows of a table, or inserts one: where both stand in one function, a race between them can be seen. */
export interface TableAccess {
  readonly member: OneOrMore<Member>;
  /**
   * Where the table is named: by the receiver (`prisma.order.create`), by an argument (`em.findOne(Order, …)`), or at
   * the beginning of the chain of calls (`db.insert(orders).values(…)`, `knex("orders").insert(…)`).
   */
  readonly table: "receiver" | "chain" | number;
  /** What inserts in one statement, or takes the violation: for the message. */
  readonly instead?: string;
}

/** The statements that skip more than duplicates. */
export type IgnoringStatement = "INSERT IGNORE" | "INSERT OR IGNORE";

/** Asks for an insert that skips rows which are there already. */
export interface InsertIgnore {
  readonly member: OneOrMore<Member>;
  /** Only where this option is `true` (`skipDuplicates`). */
  readonly when?: Slot;
  /** The statement that it becomes; where that depends on the database: the option that names it, and its values. */
  readonly as:
    | IgnoringStatement
    | {
        readonly option: string;
        readonly databases: Readonly<Record<string, IgnoringStatement | "ON CONFLICT">>;
      };
}

/** A callback whose result the library keeps, so that a retry gets the same value (`step.run`). */
export interface MemoisedStep {
  readonly member: OneOrMore<Member>;
  readonly callback: ArgumentIndex;
}

/**
 * Unit of a bare number. What carries its unit itself (`"5m"`, ISO 8601, `{ minutes: 5 }`, a duration object) is read
 * anywhere; `"written"`: only such values mean something here.
 */
export type DurationUnit = "ns" | "ms" | "s" | "min" | "h" | "d" | "written";

/** Makes a duration from a number or a text, or a number from a duration. */
export interface DurationMaker {
  readonly member: OneOrMore<Member>;
  /** How argument 0 (or the receiver) is read. */
  readonly reads: DurationUnit;
  readonly of?: "receiver";
  /** What comes out: a number in this unit, or (`"written"`) a value that carries its unit. */
  readonly makes: DurationUnit;
}

/** A limit that code sets to its own waiting. */
export interface Deadline {
  readonly member: OneOrMore<Member>;
  /** Where the limit stands; several places add up (`headersTimeout` and `bodyTimeout`). */
  readonly slot: OneOrMore<Slot>;
  readonly unit: DurationUnit;
  /** The slot is one of the call that made the receiver: `axios.create({ timeout })`, `new Pool({ statement_timeout })`. */
  readonly setBy?: OneOrMore<Member>;
  /** Limits what is passed as this argument (`pTimeout(promise, …)`), whatever limits stand inside. */
  readonly around?: number;
  /** A timer: a limit if this argument rejects or aborts, a wait if it resolves. */
  readonly timer?: number;
  /** No limit but a pause, which takes so long (`setTimeout` of `node:timers/promises`). */
  readonly isWait?: true;
  /** The result is a signal: the limit runs from here, whoever is handed the signal. */
  readonly isSignal?: true;
  /** A signal made of others (`AbortSignal.any([…])`): the first of their limits counts, the slot holds them. */
  readonly combines?: true;
  /** A net below many calls rather than the time that each takes: counted once. */
  readonly isNet?: true;
}

/** Where one looks for a pair; both sides are found from there. */
export type LeaseAnchor =
  | {
      /** A call, a constructor (`"new Worker"`) or a decorator (`"@Processor"`). */
      readonly call: OneOrMore<Member>;
      /** Counts only where this argument is one of these strings (`subscription.on('message', …)`). */
      readonly event?: { readonly argument: number; readonly oneOf: readonly string[] };
    }
  /** A class that extends this one; slots are read in its static fields. */
  | { readonly extends: string }
  /** A constant that is declared to be of this type: it is argument 0. */
  | { readonly annotated: OneOrMore<string> };

/** A call that is found from the anchor. */
export type Reach =
  /** The call that made the receiver, or what stands in a slot of the anchor (or of the call that `from` finds). */
  | { readonly made: "receiver" | Slot; readonly by: OneOrMore<Member>; readonly from?: Reach }
  /** Calls elsewhere about the same name. */
  | {
      readonly namedIn: OneOrMore<Member>;
      readonly name: OneOrMore<Slot>;
      readonly as: OneOrMore<Slot>;
      readonly from?: Reach;
    }
  /** A call in the same chain: `build(Job).timeout(ms).enqueue()`. */
  | { readonly chained: OneOrMore<Member> }
  /** A call anywhere in the project: a worker's settings. */
  | { readonly anywhere: OneOrMore<Member> };

/** A duration that a program sets. */
export interface DurationSetting {
  /** Absent: the anchor itself. */
  readonly at?: Reach;
  /** Absent: nothing can be set, only the default counts. */
  readonly slot?: OneOrMore<Slot>;
  readonly unit: DurationUnit;
  /** What holds where nothing is set, in ms. */
  readonly default?: number;
  /** What the default is called, if not "the default of the library": `"fixed in graphile-worker"`. */
  readonly defaultIs?: string;
  /** What zero means, if not zero: nothing at all, the default, or the next setting. */
  readonly zero?: "off" | "default" | "next";
  /** Less than this (in ms) is a mistake by itself: the sentence says which. `advice`: only with the option `margin`. */
  readonly atLeast?: { readonly ms: number; readonly because: string; readonly isAdvice?: true };
}

/** The time that a handler may take, by the limits that its own code sets. */
export interface HandlerTime {
  /** Where the handler stands, seen from the anchor. */
  readonly handler: OneOrMore<Slot> | "decorated method" | "what follows" | HandlerElsewhere;
  /** The handler is this method of the class that stands there. */
  readonly method?: string;
  /** How many jobs the handler gets at once; a loop over them counts so often. */
  readonly batch?: { readonly at?: Reach; readonly size: Slot; readonly default: number };
  /** How often one of `renewedBy` is called is meant, not how long the handler takes. */
  readonly isInterval?: true;
}

export type HandlerElsewhere =
  /** Functions that the anchor's result offers by name, and that are kept in this slot (`const { charge } = proxyActivities(…)`). */
  | { readonly memberOfResult: OneOrMore<Member>; readonly slot: Slot }
  /** The route that the path of this URL leads to. */
  | { readonly routeOf: OneOrMore<Slot> };

/** Binds a function to a path of URLs. */
export interface Route {
  readonly member: OneOrMore<Member>;
  readonly path: Slot;
  readonly handler: ArgumentIndex;
}

/** A setting that decides whether a pair is meant. */
export interface LeaseCondition {
  readonly at?: Reach;
  readonly slot: OneOrMore<Slot>;
  /** Absent: that it is set at all. */
  readonly is?: boolean | string | number;
}

/** Two durations of which the first has to stay below the second. */
export interface LeasePair {
  /** `"P11"`: the row of the table in the rule's documentation. */
  readonly id: string;
  readonly at: LeaseAnchor;
  /**
   * `"limit"`: how long the handler may run, below the lease. `"renewal"`: how often the lease is renewed, at most half
   * of it. `"order"`: two settings of which one makes the other useless.
   */
  readonly as: "limit" | "renewal" | "order";
  /** The first that is set counts. */
  readonly timeout: OneOrMore<DurationSetting | HandlerTime>;
  readonly lease: OneOrMore<DurationSetting>;
  readonly when?: OneOrMore<LeaseCondition>;
  readonly unless?: OneOrMore<LeaseCondition>;
  /** Names whose call in the handler renews the lease. */
  readonly renewedBy?: OneOrMore<string>;
  /** Names whose call ends the lease: what comes after them is nobody's business. */
  readonly endedBy?: OneOrMore<string>;
  /** What happens when the timeout is not below the lease, if not that a second worker is handed the job. */
  readonly consequence?: string;
  /** What a person should do, if not to lower the one or raise the other. */
  readonly advice?: string;
  readonly equalIsFine?: true;
  /** The lease should be so many times the timeout, plus this setting: advice, not an error. */
  readonly margin?: { readonly times: number; readonly plus?: DurationSetting };
  /** Counts only below this version of the installed package. */
  readonly before?: { readonly package: string; readonly version: string };
}

/** A pair of which people think that it is one: no size is wrong. */
export interface NoLeasePair {
  readonly id: string;
  readonly settings: string;
  readonly because: string;
}

/**
 * Everything that one library means. `packages` are the packages in whose declarations (or type packages) its members
 * are found; the members of all sections are looked up there.
 */
export interface Library {
  /** Name for people and for the page "Supported libraries". */
  readonly name: string;
  readonly packages: readonly string[];
  /** Packages that people import it from, if others than `packages` (a wrapper that re-exports). */
  readonly importedFrom?: readonly string[];
  /**
   * Declarations that a generator writes into the user's project: containers with these names (`"*Delegate"`: that end
   * so) belong to the library when their file contains the text.
   */
  readonly generated?: { readonly containers: readonly string[]; readonly fileContains: string };
  /**
   * Declared by the project itself (what `settings.aftercommit` adds): in the file at this path or pattern; without a
   * path in any file of the project.
   */
  readonly project?: { readonly path?: string };
  /** Files of the project whose functions all run in a transaction that other code opened. */
  readonly ambient?: readonly string[];
  /** A handler that returns has done its job, whatever it returns; one that throws is called again, or shown as failed. */
  readonly retriesOnThrow?: true;
  /** What a handler throws when no retry can help: `UnrecoverableError`. */
  readonly terminalError?: string;
  /** What people call its client, in lower case, where that is no word for a database as such: `prisma`. */
  readonly clientNames?: readonly string[];
  /** Global values and types without an import (`fetch`, Cloudflare's `Queue`). */
  readonly globals?: readonly string[];
  /**
   * What becomes of queries of one transaction that are sent together. `"queued"`: they share a connection, which takes
   * the next when it has answered the last. `"pipelined"`: the connection has all of them before a rollback can be sent.
   * Absent: they are independent, or nobody knows.
   */
  readonly together?: "queued" | "pipelined";
  /** Packages over which the library pipelines (a query builder has its driver's connection). */
  readonly pipelinesOver?: readonly string[];
  /**
   * For files without type information: how a value of a container comes to be, beyond `new X()`, a type annotation
   * `X`, and `class … extends X`, which need no entry. Written `"createClient()"` (an exported function's awaited
   * result), `"Kafka.producer()"` (a member's awaited result), `"default()"`, `"default"`, `"kafka"` (the export
   * itself), `"DataSource.manager"` (a property), `"PrismaClient.*"` (every property that is not a member of its own),
   * `"Kysely.()"` (a call of a value of the container), `"DatabasePool.connect(=>)"` (the first parameter of a function
   * that the member is given).
   */
  readonly values?: Readonly<Record<string, OneOrMore<string>>>;

  readonly dispatches?: readonly Dispatch[];
  readonly handlers?: readonly Handler[];
  readonly identities?: readonly JobIdentity[];
  readonly keys?: readonly KeySlot[];
  readonly transactions?: readonly TransactionOpener[];
  readonly manual?: readonly ManualTransaction[];
  readonly sql?: readonly SqlText[];
  /** Absent: the client is the transaction, or what it sends joins by itself. */
  readonly beside?: Beside;
  /** Packages whose clients and repositories take part in its transactions by themselves. */
  readonly proxies?: readonly string[];
  readonly decorators?: readonly TransactionalDecorator[];
  readonly handles?: readonly HandleType[];
  readonly hooks?: readonly LifecycleHook[];
  readonly afterCommit?: readonly AfterCommitSlot[];
  readonly afterCommitMethods?: readonly AfterCommitMethod[];
  readonly hiddenRollback?: HiddenRollback;
  readonly outside?: readonly OutsideTransaction[];
  readonly runners?: readonly Runner[];
  readonly locks?: readonly Lock[];
  readonly effects?: readonly ExternalEffect[];
  readonly randoms?: readonly RandomSource[];
  readonly clocks?: readonly Clock[];
  readonly calendar?: readonly CalendarPart[];
  readonly objects?: readonly NamedObject[];
  readonly passedOn?: readonly PassedOn[];
  /** Look random, but a replay gives the same value. */
  readonly replaySafe?: OneOrMore<Member>;
  readonly memoised?: readonly MemoisedStep[];
  readonly stores?: readonly StoreSlot[];
  readonly insertIgnores?: readonly InsertIgnore[];
  readonly reads?: readonly TableAccess[];
  readonly inserts?: readonly TableAccess[];
  readonly leases?: readonly (LeasePair | NoLeasePair)[];
  readonly deadlines?: readonly Deadline[];
  readonly routes?: readonly Route[];
  readonly durations?: readonly DurationMaker[];
}
