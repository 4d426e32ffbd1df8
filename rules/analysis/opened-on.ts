import type { Library } from "../catalogue/vocabulary.js";
import type { FileAnalysis, Program } from "./analysis.js";
import { identitiesOf, type Identity } from "./client-identity.js";
import type { CallNode, FunctionNode, Node } from "./code/node.js";
import { isWritten } from "./project-text.js";
import type { Scope } from "./transaction-scope.js";
import type { Frame, Value } from "./values.js";

/** What a transaction was opened on, and what its statements have to go over. */
export interface OpenedOn {
  readonly library: Library;
  /** The clients whose statements run beside it. */
  readonly clients: readonly { readonly key: string; readonly text: string }[];
  readonly handles: ReadonlySet<string>;
  /** What the handle is called where the callback stands; absent: it is not given a name. */
  readonly handle: string | undefined;
}

/** The client that the transaction of a scope was opened on, where statements beside it can be told. */
export function openedOn(scope: Scope, analysis: FileAnalysis): OpenedOn | undefined {
  const by = openingCall(scope);
  const known = by && libraryOf(by, analysis);
  if (!by || !known?.library.beside || isProxied(known.library, analysis)) return undefined;
  const { library, isReceiver } = known;
  const receiver = receiverOf(by.node);
  if (!receiver) return undefined;
  const identities = identitiesOf(analysis);
  const body = scope.kind === "callback" && scope.body.kind === "function" ? scope.body : undefined;
  // a wrapper that passes nothing on keeps the handle where its callers find it
  if (body && by.node !== scope.openedAt && body.params.length === 0) return undefined;
  const handles = handlesOf(scope, by, receiver, isReceiver, analysis);
  const sources = isReceiver ? madeFrom(receiver, by.frame, analysis) : [{ node: receiver, frame: by.frame }];
  const clients = sources.flatMap(({ node, frame }) => {
    if (isHandle(node, analysis)) return [];
    const identity = passedTo(scope, identities.of(node, frame), by, analysis);
    return identity && !handles.has(identity.key) ? [{ key: identity.key, text: textOf(node) }] : [];
  });
  const handle =
    body?.params[0]?.target.kind === "name"
      ? body.params[0].target.text
      : scope.kind === "manual"
        ? nameOfBegun(by.node, isReceiver, receiver)
        : undefined;
  return { library, clients, handles, handle };
}

/** The library's call that opens the transaction of a scope, directly or in a function of the project. */
function openingCall({ kind, openedAt, opened }: Scope): Value<CallNode> | undefined {
  if (kind === "callback") return opened?.by;
  return kind === "manual" && openedAt.kind === "call" ? { node: openedAt, frame: undefined } : undefined;
}

function libraryOf(
  { node, frame }: Value<CallNode>,
  { effects, knowledge }: Program,
): { readonly library: Library; readonly isReceiver: boolean } | undefined {
  const { refs } = effects.calledBy(node, frame);
  const transactions = knowledge.transactions.find(refs).filter(({ entry }) => entry.handle !== undefined);
  const [opened] = transactions;
  // without types it may be any of a library's databases
  if (opened)
    return transactions.some(({ entry }) => entry.sharesConnection)
      ? undefined
      : { library: opened.library, isReceiver: false };
  const [begun] = knowledge.begins.find(refs);
  if (begun) return { library: begun.library, isReceiver: begun.entry.handle === "receiver" };
  const [sql] = knowledge.sql.find(refs).filter(({ entry }) => entry.on === "connection");
  return sql && { library: sql.library, isReceiver: true };
}

/** Whether the project has statements of a library join by themselves; of one file alone, nobody knows. */
function isProxied(library: Library, { knowledge, semantics }: Program): boolean {
  const { unless } = library.beside ?? {};
  const proxies = knowledge.proxiesOf(library);
  if (!semantics.isTyped) return unless !== undefined || proxies.length > 0;
  return (
    proxies.some((proxy) => knowledge.libraries.includes(proxy)) ||
    (unless !== undefined && isWritten(unless, semantics))
  );
}

/** `prisma` of `prisma.$transaction(…)`, `db` of `db.transaction().execute(…)`, `this.pool` of `this.pool.connect()`. */
export function receiverOf(call: CallNode): Node | undefined {
  let node: Node = call.callee.kind === "member" ? call.callee.object : call.callee;
  while (node.kind === "call") node = node.callee.kind === "member" ? node.callee.object : node.callee;
  return node.kind === "name" || node.kind === "member" ? node : undefined;
}

/** The client that a connection was taken from: `pool` of `const client = await pool.connect()`. */
function madeFrom(receiver: Node, frame: Frame | undefined, { semantics }: Program): readonly Value[] {
  const definition = receiver.kind === "name" ? semantics.definitionOfName(receiver) : undefined;
  const init = definition?.kind === "variable" && definition.path.length === 0 ? definition.declarator.init : undefined;
  const made = init?.kind === "await" ? init.argument : init;
  const from = made?.kind === "call" && !made.isNew ? receiverOf(made) : undefined;
  return from ? [{ node: from, frame }] : [];
}

/** Nested transactions share the connection of the one around them. */
function isHandle(node: Node, { knowledge, semantics }: Program): boolean {
  const definition = node.kind === "name" ? semantics.definitionOfName(node) : undefined;
  if (definition?.kind === "parameter" && definition.fn.parent?.kind === "call") return true;
  return knowledge.handlesOf(semantics.typesOf(node)).some(({ entry }) => entry.proves);
}

function handlesOf(
  scope: Scope,
  by: Value<CallNode>,
  receiver: Node,
  isReceiver: boolean,
  program: Program,
): ReadonlySet<string> {
  const identities = identitiesOf(program);
  const nodes: Value[] = [];
  if (scope.kind === "callback" && scope.body.kind === "function")
    nodes.push(...namesOf(scope.body).map((node) => ({ node, frame: undefined })));
  const begun = nameNode(by.node);
  if (isReceiver) nodes.push({ node: receiver, frame: by.frame });
  else if (scope.kind === "manual" && begun) nodes.push({ node: begun, frame: undefined });
  return new Set(nodes.flatMap(({ node, frame }) => identities.of(node, frame)?.key ?? []));
}

function namesOf({ params }: FunctionNode): readonly Node[] {
  const names = (target: Node): Node[] =>
    target.kind === "pattern" ? target.entries.flatMap((entry) => names(entry.target)) : [target];
  return params.flatMap((parameter) => names(parameter.target));
}

/** `trx` of `const trx = await knex.transaction()`, also where it is declared before (`let trx; try { trx = …`). */
function nameNode(call: CallNode): Node | undefined {
  const place = call.parent?.kind === "await" ? call.parent.parent : call.parent;
  return place?.kind === "declarator" || place?.kind === "assign" ? place.target : undefined;
}

function nameOfBegun(call: CallNode, isReceiver: boolean, receiver: Node): string | undefined {
  if (isReceiver) return textOf(receiver);
  const name = nameNode(call);
  return name?.kind === "name" || name?.kind === "member" ? textOf(name) : undefined;
}

/** A wrapper's own parameter is what its caller passes. */
function passedTo(
  { openedAt }: Scope,
  identity: Identity | undefined,
  by: Value<CallNode>,
  program: Program,
): Identity | undefined {
  if (!identity?.parameter || openedAt === by.node || openedAt.kind !== "call") return identity;
  const { fn, index, path } = identity.parameter;
  const { callee } = program.effects.calledBy(openedAt, undefined);
  const given = callee.kind === "closure" && callee.fn === fn ? openedAt.args[index] : undefined;
  return given && path.length === 0 ? identitiesOf(program).of(given, undefined) : undefined;
}

/** A callee or receiver as a reader finds it again. */
function textOf(node: Node): string {
  return node.file.text.slice(node.start, node.end).replaceAll(/\s+/g, "");
}
