/**
 * What a programmer's own names say in plain English: read where code cannot be followed, and to tell an identity from
 * a secret, a lock's owner or a log's id. No library is named here.
 */

/** `traceId`, `trace_id`, `TRACE-ID` → `trace`, `id`. */
export function wordsOf(name: string): readonly string[] {
  return name
    .replace(/([a-z\d])([A-Z])/g, "$1 $2")
    .replace(/([A-Z])([A-Z][a-z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z\d]+/)
    .filter((word) => word !== "");
}

const has = (words: ReadonlySet<string>) => (name: string) => wordsOf(name).some((word) => words.has(word));

const identityWords = new Set([
  "id",
  "ids",
  "uuid",
  "guid",
  "uid",
  "ulid",
  "key",
  "ref",
  "reference",
  "identifier",
  "slug",
  "number",
  "sku",
  "oid",
]);
/** Names of what a row, a message or a request is known by. */
export const isIdentityName = has(identityWords);

/** Random on purpose, and meant to be: secrets, salts, codes that are sent to a person. */
export const isSecretName = (name: string): boolean =>
  secret(name) ||
  /(?:verification|invite|invitation|auth|reset|login|access|backup|recovery|confirmation|one ?time|otp)[_ -]?code/i.test(
    name,
  );
const secret = has(
  new Set([
    "secret",
    "token",
    "tokens",
    "password",
    "passwd",
    "passphrase",
    "pwd",
    "salt",
    "nonce",
    "otp",
    "pin",
    "credential",
    "credentials",
    "challenge",
    "verifier",
    "signature",
    "iv",
    "csrf",
    "cipher",
    "seed",
    "apikey",
    "passcode",
  ]),
);

/** Who holds a lock, which process or query this is: new each time, and rightly so. */
export const isOwnerName = has(
  new Set([
    "lock",
    "locked",
    "locker",
    "lease",
    "leased",
    "owner",
    "mutex",
    "fence",
    "fencing",
    "holder",
    "worker",
    "host",
    "hostname",
    "instance",
    "consumer",
    "process",
    "pid",
    "query",
  ]),
);

/** What is only looked at: logs, traces, metrics. */
export const isObservationName = has(
  new Set([
    "log",
    "logs",
    "logger",
    "logging",
    "trace",
    "tracer",
    "traces",
    "tracing",
    "span",
    "spans",
    "telemetry",
    "metric",
    "metrics",
    "console",
    "sentry",
    "debug",
    "breadcrumb",
    "correlation",
    "request",
    "req",
    "audit",
  ]),
);

/** Functions that only observe. */
export const isObserverName = has(
  new Set([
    "log",
    "logs",
    "logger",
    "logging",
    "tracer",
    "tracing",
    "span",
    "spans",
    "telemetry",
    "metric",
    "metrics",
    "console",
    "sentry",
    "debug",
    "warn",
    "breadcrumb",
    "instrument",
    "stopwatch",
    "profiler",
  ]),
);

/** What only carries what others watch, and may send it elsewhere. */
export const isInstrumentName = has(
  new Set(["logger", "logging", "tracer", "tracing", "telemetry", "metric", "metrics"]),
);

/** Functions that bring an error to those who watch. */
export const isReporterName = (name: string): boolean =>
  /^(?:(?:capture|report|record|notice|track|send)(?:Exception|Error|Failure)|captureMessage|setStatus|newrelic|bugsnag|rollbar|notify(?:Error|Exception))$/i.test(
    name,
  );

/** Files and folders that are gone after the run. */
export const isTemporaryName = has(
  new Set(["tmp", "temp", "temporary", "scratch", "boundary", "filename", "file", "path", "dir", "folder"]),
);

const envelopeNouns = new Set(["event", "message", "msg", "job", "envelope", "delivery", "task", "batch"]);
/** The id that a message has as a message, not the id of what it is about. */
export function isEnvelopeName(name: string): boolean {
  const words = wordsOf(name);
  const last = words.at(-1);
  if (last === undefined || !["id", "uuid", "uid", "guid", "key"].includes(last)) return false;
  const nouns = words.slice(0, -1);
  return nouns.length === 0 || (nouns.length === 1 && envelopeNouns.has(nouns[0] ?? ""));
}

/** Names of the part of a message that carries what it is about. */
export const isBodyName = (name: string): boolean => /^(?:payload|body|data|detail|attributes)$/i.test(name);
/** Names of what stands beside it. */
export const isHeadName = (name: string): boolean =>
  /^(?:type|name|kind|timestamp|time|createdAt|occurredAt|occurredOn|version|specversion|source|topic|eventType|event_type|eventName|jobName|subject|metadata|headers|aggregateType|attempt|attempts)$/i.test(
    name,
  );

/** Names that a job, a message or a run goes by. */
export const isJobName = (name: string): boolean =>
  /job|task|message|msg|event|evt|delivery|workflow|execution|attrs|sns|sqs|kinesis|dbos|attempt|envelope|packet/i.test(
    name,
  ) ||
  (vaguelyJob.test(name) && wordsOf(name).every((word) => vaguelyJob.test(word)));

/** Words that any list's element may be called by: they count where nothing else is said (`item`, not `basketItem`). */
const vaguelyJob =
  /^(?:raw|current|my|this|the|queue|queued|batch|full|inner|outer|_)*(?:record|rec|run|ctx|context|info|step|fields|properties|metadata|meta|helpers|item|raw|current|batch|entry|element|el|next|first|last)s?$/i;

/** The key under which a receiver remembers what it did. */
export const isIdempotencyName = (name: string): boolean =>
  /^(?:x[-_])?idempot(?:ency|ent)[-_ ]?(?:key|token|id)$/i.test(name);
/** A key that a queue drops a second message by, when its name says so. */
export const isDeduplicationName = (name: string): boolean =>
  /dedup|de[-_]?duplication|singletonKey|jobKey|debounce|msgID/i.test(name);

/** Whether a text may hold such a name. */
export const mentionsDeduplication = (text: string): boolean =>
  /[dD]edup|DEDUP|[dD]e[-_]?[dD]uplication|singletonKey|jobKey|\bdebounce\b|debounce(?:Id|Key)|msgI[dD]/.test(text);

/** The header by which the receiver of a webhook or event knows a delivery that it has seen. */
export const isDeliveryHeader = (name: string): boolean =>
  /^(?:x[-_])?(?:\w+[-_])?(?:webhook|svix|event|message|msg|delivery|ce|notification)[-_]?(?:event[-_]|message[-_]|msg[-_]|delivery[-_])?id$/i.test(
    name,
  );

/** Tables, models and caches that remember what was done. */
export const isLedgerName = (name: string): boolean => {
  const words = wordsOf(name);
  return (
    /idempoten|dedup/i.test(name) ||
    words.some((word) => word === "inbox" || word === "ledger") ||
    (words.some((word) => ["processed", "handled", "seen", "consumed"].includes(word)) &&
      words.some((word) =>
        /^(?:message|event|job|webhook|delivery|deliverie|request|operation|command|notification|record|item|task|id|key|msg|sqs|kafka)s?$/.test(
          word,
        ),
      ))
  );
};

/** Types of rows that are about to be inserted: `OrderCreateInput`, `TraceRecordInsertType`, `UserInsert`. */
export const isRowTypeName = (name: string): boolean =>
  /(?:Insert|CreateInput|CreateManyInput|CreationAttributes|InsertType|InsertInput|InsertRow|InsertRecord|NewRow)$/.test(
    name,
  ) || /^(?:Insert|Insertable)[A-Z]/.test(name);

/** A function of this name makes an identity. */
export function makesIdName(name: string): boolean {
  if (!mayMakeId.test(name)) return false;
  if (/uuid|nanoid|objectid/i.test(name)) return true;
  const words = wordsOf(name);
  const has = (...some: string[]) => words.some((word) => some.includes(word));
  if (has("guid", "ulid", "cuid", "cuid2", "ksuid", "snowflake", "xid")) return true;
  return (
    has("random") ||
    (has("generate", "gen", "create", "new", "make", "next", "unique", "mk") &&
      has("id", "identifier", "uid", "key", "ref", "reference", "number", "slug"))
  );
}

/** At a glance: most names of functions make nothing. */
const mayMakeId =
  /(?:id\d?|identifier|uuid\w*|key|ref|reference|random\w*|unique\w*|number|slug|snowflake)$|uuid|nanoid|objectid|[ugck]s?uid|ulid|xid|random|unique|snowflake/i;

const storeVerbs = new Set([
  "create",
  "insert",
  "upsert",
  "save",
  "store",
  "persist",
  "write",
  "ingest",
  "bulk",
  "batch",
]);
const storeVerbsOfStores = new Set([
  ...storeVerbs,
  "add",
  "put",
  "append",
  "record",
  "register",
  "enqueue",
  "push",
  "import",
]);
const storeNouns = new Set([
  "repo",
  "repository",
  "repositories",
  "dao",
  "store",
  "table",
  "collection",
  "writer",
  "dal",
  "entity",
  "db",
  "database",
  "tx",
  "trx",
  "orm",
  "em",
  "model",
]);
const dispatchVerbs = new Set([
  "send",
  "publish",
  "emit",
  "enqueue",
  "dispatch",
  "schedule",
  "trigger",
  "notify",
  "produce",
  "submit",
  "queue",
  "broadcast",
  "fire",
]);
const queueNouns = new Set([
  "queue",
  "queues",
  "bus",
  "producer",
  "publisher",
  "topic",
  "stream",
  "broker",
  "emitter",
  "dispatcher",
  "jobs",
]);
const queueVerbs = new Set([...dispatchVerbs, "add", "push", "put", "batch"]);
const workVerbs = new Set(["process", "handle", "apply", "import", "ingest", "track", "sync", "forward"]);
const workNouns = /^(?:event|record|row|batch|item|message|entity|entitie|trace|span|data|document|chunk)s?$/;
/** `createClient` makes something to work with, not a row. */
const makers = new Set([
  "client",
  "logger",
  "context",
  "service",
  "builder",
  "factory",
  "url",
  "schema",
  "hash",
  "error",
  "response",
  "request",
  "element",
  "stream",
  "writer",
  "reader",
  "connection",
  "instance",
  "server",
  "app",
  "handler",
  "hook",
  "signature",
  "filter",
  "query",
  "options",
  "config",
  "params",
  "header",
  "headers",
  "span",
  "child",
  "image",
  "pdf",
  "canvas",
  "state",
  "key",
  "id",
]);
const readVerbs = new Set([
  "get",
  "find",
  "fetch",
  "load",
  "read",
  "list",
  "has",
  "is",
  "exists",
  "check",
  "count",
  "delete",
  "remove",
  "compare",
  "equals",
  "includes",
  "match",
  "test",
  "assert",
  "expect",
  "lock",
  "acquire",
  "release",
  "unlock",
  "wait",
  "sleep",
  "validate",
  "verify",
]);

const none: ReadonlySet<string> = new Set();

/**
 * What a function that cannot be read does with what it is given, as its name says. `clients` are further words for what
 * stores: those that libraries gave their clients.
 */
export function workOf(
  name: string,
  receiver: readonly string[],
  clients = none,
): "stores" | "dispatches" | "observes" | "reads" | "unknown" {
  const words = wordsOf(name);
  const [verb = ""] = words;
  const receiverWords = receiver.flatMap(wordsOf);
  if (isObserverName(name) || receiver.some(isObserverName)) return "observes";
  if (receiverWords.some((word) => queueNouns.has(word)) && queueVerbs.has(verb)) return "dispatches";
  if (receiverWords.some((word) => storeNouns.has(word) || clients.has(word)) && storeVerbsOfStores.has(verb))
    return "stores";
  if (dispatchVerbs.has(verb)) return "dispatches";
  if (storeVerbs.has(verb) && !makers.has(words.at(-1) ?? "")) return "stores";
  if (workVerbs.has(verb) && words.slice(1).some((word) => workNouns.test(word))) return "dispatches";
  return readVerbs.has(verb) ? "reads" : "unknown";
}

const askingVerbs = new Set(
  "get find fetch load read list has is exists exist check count search query lookup look resolve validate verify calculate compute estimate quote geocode introspect authenticate login authorize oauth exchange download poll ping describe".split(
    " ",
  ),
);
/** Functions that ask another system for something, whatever the method of their request. */
export const isAskingName = (name: string): boolean => askingVerbs.has(wordsOf(name)[0] ?? "");
/** Addresses behind which a POST only asks. */
export const isAskingUrl = (text: string): boolean =>
  /graphql|[/_-](?:search|query|token|geocode|verify|validate|login)\b|siteverify|oauth|(?:token|search|query|graphql)_?(?:url|uri|endpoint)/i.test(
    text,
  );

/** Keys and classes of locks and limits. */
export const speaksOfLimit = (text: string): boolean =>
  /rate.?limit|limiter|throttl|quota|mutex|semaphore|(?:^|[^a-z])lock/i.test(text);

/** Attempts, and functions that make them. */
export const isRetryName = (name: string): boolean =>
  wordsOf(name).some((word) => /^(?:attempts?|retr(?:y|ies|ied|ying|yable)|tries|backoff)$/.test(word));

/** Numbers that only tell apart or count what was tried: gaps in them harm nobody. */
export const isSequenceName = (name: string): boolean =>
  /^(?:i|j|k|n|index|idx|pos|position|offset|cursor|seq|sequence|next|tmp)$/i.test(name) ||
  /^next[A-Z]|(?:Id|Seq|Index|Offset)$/.test(name);

/** What statements of all tables are sent through, besides the names that libraries gave their clients. */
export const isClientName = (name: string): boolean =>
  /^(?:db|database|client|pool|conn|connection|sql|tx|trx|transaction|manager|em|entityManager|dataSource|session|query|this)$/i.test(
    name,
  );

/** Code that leaves the decision to a constraint, a row lock or a key of the other side. */
export const speaksOfGuard = (text: string): boolean =>
  /on\s*conflict|on\s+duplicate|upsert|P2002|23505|ER_DUP|\b1062\b|\b11000\b|duplicate|unique[_ ]?(?:constraint|violation|key)|UniqueConstraint|idempoten|for\s+(?:no\s+key\s+)?update|for(?:NoKey)?Update|pessimistic|LOCK\.UPDATE|serializable|advisory|ledger|insertOnce/i.test(
    text,
  );
