import type { KeySlot } from "../catalogue/vocabulary.js";
import type { Program } from "./analysis.js";
import { calledFunctions } from "./called-functions.js";
import type { CallNode, FunctionNode, Node, PropertyNode } from "./code/node.js";
import { isCommand } from "./deferral.js";
import { nameOfCallee } from "./effects.js";
import { isForeign } from "./foreign-members.js";
import { conflictColumns, isGuarded } from "./guarded-insert.js";
import { oneOrMore, type Known } from "./knowledge.js";
import type { Ref } from "./semantics.js";
import { insertedBy } from "./stored-in-sql.js";
import { lastName, matchSlot, slotIndexFits, type Trail } from "./trail.js";
import { isDeduplicationName, isIdempotencyName, isIdentityName, isLedgerName, workOf } from "./words.js";

/** `"changed"`: it tells which row is changed; `"named"`: an object or file is stored under it. */
export type ArrivalKind = "stored" | "changed" | "dispatched" | "sent" | "key" | "looked up" | "named";

/** A place where a value leaves the program's own variables. */
export interface Arrival<Kind extends ArrivalKind = ArrivalKind> {
  readonly kind: Kind;
  /** The call (or template) that takes it. */
  readonly at: Node;
  /** What that is called: `prisma.order.create`. */
  readonly label: string;
  /** Where in what is stored, dispatched or sent it stands. */
  readonly trail: Trail;
  /** The column, property or option that it becomes. */
  readonly column: string | undefined;
  /** What the catalogue says of the key. */
  readonly key?: Known<KeySlot>;
  /** Nobody could read what the call does: its name says it. */
  readonly isByName: boolean;
  /** A second insert of the same business row is taken by the database. */
  readonly isGuarded?: true;
  /** The file stands on the machine's own disk. */
  readonly isLocal?: true;
  /** The property that the value became first. */
  readonly property: PropertyNode | undefined;
  readonly names: readonly string[];
  /** The calls that were followed down to here. */
  readonly through: readonly CallNode[];
  readonly top: FunctionNode | undefined;
  readonly isEnvelopeId: boolean;
}

/** Whether a key is there only so that a queue drops a second message with the same one. */
export function isDeduplication({ kind, column, key }: Pick<Arrival, "kind" | "column" | "key">): boolean {
  return kind === "key" && isDeduplicationName(`${key?.entry.slot.path ?? ""} ${column ?? ""}`);
}

/** What a call alone tells of an arrival; the way there adds the rest. */
export type Found = Omit<Arrival, "names" | "through" | "top" | "isEnvelopeId" | "property">;

interface Arrivals {
  readonly arrivals: readonly Found[];
  /** Functions of the project that the call runs. */
  readonly functions: readonly FunctionNode[];
  /** What becomes of the value where those functions tell nothing. */
  readonly then:
    | { readonly kind: "stop" | "kept" }
    /** It is in the result, below this property. */
    | { readonly kind: "result"; readonly as?: string }
    | { readonly kind: "arrives"; readonly arrival: Found };
}

const stop = { kind: "stop" } as const;
const adders = /^(?:push|unshift|add|set|append)$/;
const mail = new Set(["http", "mail", "payment", "message"]);

/** What a call does with the argument in which a value stands. */
export function arrivalsAt(
  call: CallNode,
  index: number,
  trail: Trail,
  element: number | undefined,
  program: Program,
): Arrivals {
  const { effects, semantics } = program;
  const foreign = isForeign(call, program) ? ofForeign(call, index, trail, element, program) : undefined;
  if (foreign) return foreign;
  const called = effects.calledBy(call, undefined);
  const refs = called.refs.length === 0 && called.callee.kind === "other" ? semantics.signatureOf(call) : called.refs;
  const ended = (arrivals: readonly Found[]): Arrivals => ({
    arrivals,
    functions: [],
    then: call.isNew ? { kind: "result" } : stop,
  });

  const inserted = index > 0 ? insertedBy(call, trail, element, program) : undefined;
  if (inserted) return ended(inserted);
  const key = namedKey(call, index, trail);
  if (key) return ended([key]);
  const known = [
    ...keysAt(call, index, trail, refs, program),
    ...storesAt(call, index, trail, refs, program),
    ...objectsAt(call, index, trail, refs, program),
    ...dispatchesAt(call, index, trail, refs, program),
    ...effectsAt(call, index, trail, refs, program),
  ];
  if (known.length > 0) return ended(known.flatMap((found) => (found === "elsewhere" ? [] : [found])));

  const functions = calledFunctions(call, called, program);
  if (functions.length > 0) return { arrivals: [], functions, then: byClass(call, trail, functions) };
  const asked = askedOf(call, index, trail);
  if (asked) return { arrivals: [asked], functions: [], then: stop };
  const isRead = refs.some((ref) => !ref.isProject && ref.file !== undefined);
  const passed = passedOn(call, index, isRead ? refs : undefined, program);
  if (passed) return { arrivals: [], functions: [], then: { kind: "result", as: passed.as } };
  return { arrivals: [], functions: [], then: isRead ? byLibrary(call, refs) : byName(call, index, trail, program) };
}

/** The same for a member that nothing is known of, where it makes no difference whether its types can be read. */
function ofForeign(
  call: CallNode,
  index: number,
  trail: Trail,
  element: number | undefined,
  program: Program,
): Arrivals | undefined {
  const inserted = index > 0 ? insertedBy(call, trail, element, program) : undefined;
  if (inserted || namedKey(call, index, trail) || askedOf(call, index, trail)) return undefined;
  const name = nameOfCallee(call) ?? "";
  const byType = byLibrary(call, []);
  const byItsName = byName(call, index, trail, program);
  const isSame = byType.kind === byItsName.kind && byItsName.kind !== "arrives" && name !== "assign";
  return isSame ? { arrivals: [], functions: [], then: byType } : undefined;
}

function keysAt(call: CallNode, index: number, trail: Trail, refs: readonly Ref[], { knowledge }: Program): Found[] {
  return (call.isNew ? knowledge.keyConstructors : knowledge.keys).find(refs).flatMap((key) => {
    const { slot, isPathIntoEvent, andFollowing } = key.entry;
    const fits =
      slotIndexFits(slot, index, call.args.length) ||
      (andFollowing === true && typeof slot.argument === "number" && index >= slot.argument);
    const rest = !isPathIntoEvent && fits ? matchSlot(slot.path, trail) : undefined;
    if (rest?.length !== 0) return [];
    return [
      {
        kind: "key",
        at: call,
        label: labelOfCall(call),
        trail,
        column: slot.path?.split(".").at(-1) ?? lastName(trail),
        key,
        isByName: false,
      },
    ];
  });
}

function storesAt(
  call: CallNode,
  index: number,
  trail: Trail,
  refs: readonly Ref[],
  program: Program,
): (Found | "elsewhere")[] {
  const { knowledge } = program;
  return (call.isNew ? knowledge.storeConstructors : knowledge.stores)
    .find(refs)
    .map(({ entry }): Found | "elsewhere" => {
      const { slot, andFollowing, insertsIn, meetsUnique, finds } = entry;
      const fits =
        slotIndexFits(slot, index, call.args.length) ||
        (andFollowing === true && typeof slot.argument === "number" && index >= slot.argument);
      const rest = fits ? matchSlot(slot.path, trail) : undefined;
      if (!rest || insertsIn !== undefined) return "elsewhere";
      const column = rest.find((step) => step !== "[]");
      const meetsRow =
        isGuarded(call, column) || (meetsUnique === true && !conflictColumns(call).includes(column ?? ""));
      return {
        kind: finds ? "changed" : "stored",
        ...(meetsRow ? { isGuarded: true } : {}),
        at: call,
        label: labelOfCall(call),
        trail: rest,
        column: lastName(rest),
        isByName: false,
      };
    });
}

function objectsAt(call: CallNode, index: number, trail: Trail, refs: readonly Ref[], { knowledge }: Program): Found[] {
  return (call.isNew ? knowledge.objectConstructors : knowledge.objects)
    .find(refs)
    .flatMap(({ entry: { slot, isLocal } }) =>
      slotIndexFits(slot, index, call.args.length) && matchSlot(slot.path, trail)?.length === 0
        ? [
            {
              kind: "named",
              at: call,
              label: labelOfCall(call),
              trail,
              column: slot.path?.split(".").at(-1),
              isByName: false,
              ...(isLocal ? { isLocal } : {}),
            },
          ]
        : [],
    );
}

function dispatchesAt(
  call: CallNode,
  index: number,
  trail: Trail,
  refs: readonly Ref[],
  { knowledge, values, semantics }: Program,
): (Found | "elsewhere")[] {
  return knowledge.dispatches.find(refs).flatMap(({ entry }): (Found | "elsewhere")[] => {
    if (
      entry.command !== undefined &&
      !isCommand(call, entry.command, values, (node) => semantics.typesOf(node), undefined)
    )
      return [];
    const rests = oneOrMore(entry.payload).flatMap((slot) =>
      slotIndexFits(slot, index, call.args.length) ? [matchSlot(slot.path, trail)] : [],
    );
    const rest = rests.find((candidate) => candidate !== undefined);
    if (!rest || entry.to === "in-process bus") return ["elsewhere"];
    return [
      { kind: "dispatched", at: call, label: labelOfCall(call), trail: rest, column: lastName(rest), isByName: false },
    ];
  });
}

function effectsAt(
  call: CallNode,
  index: number,
  trail: Trail,
  refs: readonly Ref[],
  { knowledge, values, semantics }: Program,
): (Found | "elsewhere")[] {
  return knowledge.effects.find(refs).flatMap(({ entry }): (Found | "elsewhere")[] => {
    if (
      entry.command !== undefined &&
      !isCommand(call, entry.command, values, (node) => semantics.typesOf(node), undefined)
    )
      return [];
    if (entry.kind === "cache" || entry.kind === "lock") return [askedOf(call, index, trail) ?? "elsewhere"];
    if (entry.reads || !mail.has(entry.kind) || (index === 0 && trail.length === 0)) return ["elsewhere"];
    return [{ kind: "sent", at: call, label: labelOfCall(call), trail, column: lastName(trail), isByName: false }];
  });
}

/** `{ idempotencyKey: id }`, `{ headers: { "Idempotency-Key": id } }`, `headers.set("Idempotency-Key", id)`: the name tells all. */
function namedKey(call: CallNode, index: number, trail: Trail): Found | undefined {
  const [first] = call.args;
  const header =
    index === 1 && trail.length === 0 && first?.kind === "literal" && typeof first.value === "string"
      ? first.value
      : undefined;
  const name = header ?? trail.at(-1);
  if (name === undefined || !isIdempotencyName(name)) return undefined;
  return { kind: "key", at: call, label: labelOfCall(call), trail, column: name, isByName: true };
}

/** `prisma.processedMessage.findUnique({ where: { id } })`, `redis.set("processed:" + id, …)`: what was done is remembered under it. */
function askedOf(call: CallNode, index: number, trail: Trail): Found | undefined {
  const [name = "", ...receiver] = namesOf(call.callee);
  // what is stored under a key does not recognise anything
  if (index > 0 && /^set/i.test(name)) return undefined;
  if (
    !/^(?:find|get|exists|has|count|select|set|sadd|sismember|hset|hget|hexists|where|eq|add|save|insert|create|upsert|mark|is|record|claim|try)/.test(
      name,
    )
  )
    return undefined;
  if (
    ![...receiver, name].some(isLedgerName) &&
    !call.args.slice(0, index + 1).some((argument) => isLedgerText(argument))
  )
    return undefined;
  return { kind: "looked up", at: call, label: labelOfCall(call), trail, column: lastName(trail), isByName: true };
}

function isLedgerText(node: Node): boolean {
  const texts =
    node.kind === "literal" && typeof node.value === "string"
      ? [node.value]
      : node.kind === "template"
        ? node.strings.slice(0, Math.max(1, node.expressions.length))
        : node.kind === "binary"
          ? []
          : undefined;
  if (node.kind === "binary") return isLedgerText(node.left) || isLedgerText(node.right);
  return (
    texts?.some((text) => /(?:^|[^a-z])(?:processed|idempoten|dedup|inbox|ledger|handled|seen)/i.test(text)) ?? false
  );
}

/** A repository's or writer's method may keep the row and write it later; its class and its own name say that it stores. */
function byClass(call: CallNode, trail: Trail, functions: readonly FunctionNode[]): Arrivals["then"] {
  const [fn] = functions;
  const owner = fn?.owner?.kind === "class" ? fn.owner.name : undefined;
  if (call.isNew || owner === undefined || fn?.name === undefined || trail.length === 0) return stop;
  const column = lastName(trail);
  if (
    !/(?:writer|repository|repo|dao|store)$/i.test(owner) ||
    workOf(fn.name, [owner]) !== "stores" ||
    column === undefined ||
    !isIdentityName(column)
  )
    return stop;
  return {
    kind: "arrives",
    arrival: { kind: "stored", at: call, label: labelOfCall(call), trail, column, isByName: true },
  };
}

/** What holds its argument in a property of its result; a function that cannot be read by its name. */
function passedOn(call: CallNode, index: number, refs: readonly Ref[] | undefined, { knowledge }: Program) {
  const known = refs ? knowledge.passedOn.find(refs) : knowledge.passedOn.named(nameOfCallee(call));
  return known.find(({ entry }) => entry.argument === index)?.entry;
}

/** A library that nobody described: what it returns is made from what it is given. */
function byLibrary(call: CallNode, refs: readonly Ref[]): Arrivals["then"] {
  const name = nameOfCallee(call) ?? "";
  const isObjectAssign =
    name === "assign" && refs.some((ref) => ref.container === "ObjectConstructor" || ref.container === "Object");
  if (isObjectAssign || (adders.test(name) && call.callee.kind === "member")) return { kind: "kept" };
  return workOf(name, []) === "reads" ? stop : { kind: "result" };
}

/** A function that cannot be read: of a package without types, of a built workspace, of a value of type `any`. */
function byName(call: CallNode, index: number, trail: Trail, { values, knowledge }: Program): Arrivals["then"] {
  const [name = "", ...receiver] = namesOf(call.callee);
  const isMethod = call.callee.kind === "member";
  if (call.isNew) return { kind: "result" };
  if (name === "assign" && receiver[0] === "Object") return { kind: "kept" };
  if (isRequest(call, index, trail))
    return {
      kind: "arrives",
      arrival: { kind: "sent", at: call, label: labelOfCall(call), trail, column: lastName(trail), isByName: true },
    };
  const work = workOf(name, receiver, knowledge.clientNames);
  if (isMethod && adders.test(name) && work !== "stores" && work !== "dispatches") return { kind: "kept" };
  if (work === "unknown") return { kind: "result" };
  if (work === "observes" || work === "reads") return stop;
  const arrives = (kind: Found["kind"], rest: Trail): Arrivals["then"] => ({
    kind: "arrives",
    arrival: { kind, at: call, label: labelOfCall(call), trail: rest, column: lastName(rest), isByName: true },
  });
  if (work === "dispatches") {
    // `queue.add(name, data, { jobId })`
    const options = call.args[index];
    const isOption =
      index >= 2 && trail.length === 1 && options !== undefined && values.settle(options, undefined).kind === "object";
    if (isOption && /^(?:jobId|jobKey|singletonKey|(?:message)?deduplicationId)$/i.test(trail[0] ?? "")) {
      return arrives("key", trail);
    }
    return arrives("dispatched", trail);
  }
  const isRow =
    /^(?:create|upsert)(?:Many)?(?:AndReturn)?$/.test(name) &&
    ["data", "where", "create", "update"].includes(trail[0] ?? "");
  if (isRow) {
    const rest = trail.slice(1);
    return trail[0] === (name === "upsert" ? "where" : "data") && !isGuarded(call, rest[0])
      ? arrives("stored", rest)
      : stop;
  }
  return isGuarded(call, lastName(trail)) ? stop : arrives("stored", trail);
}

/** `fetchWithRetry(url, { method: "POST", body })` */
function isRequest(call: CallNode, index: number, trail: Trail): boolean {
  const options = call.args[index];
  const has = (name: string) =>
    options?.kind === "object" && options.properties.some(({ key, isSpread }) => key === name && !isSpread);
  return index === 1 && trail[0] === "body" && trail.length > 1 && has("method") && has("body");
}

/** The names of a callee from the last to the first: `prisma.order.create` → `create`, `order`, `prisma`. */
export function namesOf(callee: Node): string[] {
  if (callee.kind === "name") return [callee.text];
  if (callee.kind === "member")
    return [...(callee.property === undefined ? [] : [callee.property]), ...namesOf(callee.object)];
  if (callee.kind === "call") return namesOf(callee.callee);
  return callee.kind === "await" && callee.argument ? namesOf(callee.argument) : [];
}

/** What a reader calls a call: its last three names. */
export function labelOfCall(call: CallNode): string {
  const names = namesOf(call.callee).slice(0, 3).toReversed().join(".");
  return call.isNew ? `new ${names}` : names;
}
