import type { FileAnalysis, Program } from "./analysis.js";
import { callersOf } from "./callers.js";
import { childrenOf, enclosingFunction, type CallNode, type FunctionNode, type Node } from "./code/node.js";
import { isOneOf, oneOrMore, parseMember, type EntryOf, type Knowledge, type Known } from "./knowledge.js";
import { occurrences } from "./occurrences.js";
import { slotIndexFits, stepsOf } from "./trail.js";
import { usesOfVariable } from "./uses.js";
import type { Frame, Settled } from "./values.js";

/** A library option that says where in a message the key stands. */
export interface KeyPath {
  /** The place that sets it, or that leaves it out. */
  readonly node: Node;
  /** `undefined`: there is no path, the whole message is the key. */
  readonly path: string | undefined;
  readonly key: Known<EntryOf<"keys">>;
  /** The function that is made idempotent, and its handler entry. */
  readonly handler: { readonly fn: FunctionNode; readonly known: Known<EntryOf<"handlers">> };
}

/** The paths to keys that a file sets for its job handlers: `makeIdempotent(handler, options)`, `@idempotent(options)`. */
export function keyPathsIn(analysis: FileAnalysis): readonly KeyPath[] {
  const { file, effects } = analysis;
  return settersIn(analysis.knowledge).flatMap(({ name, form, member, key }) =>
    (file.text.includes(name) ? occurrences(file, name) : []).flatMap((node) => {
      const call = node.parent;
      if (call?.kind !== "call" || call.callee !== node || call.isNew) return [];
      return isOneOf(
        member,
        form,
        key.library,
        effects
          .calledBy(call, undefined)
          .refs.map((ref) => (form === "decorator" ? { ...ref, container: undefined } : ref)),
      )
        ? keyPathOf(call, key, analysis)
        : [];
    }),
  );
}

interface Setter {
  readonly name: string;
  readonly form: "member" | "decorator";
  readonly member: string;
  readonly key: Known<EntryOf<"keys">>;
}

const setters = new WeakMap<Knowledge, readonly Setter[]>();

function settersIn(knowledge: Knowledge): readonly Setter[] {
  let found = setters.get(knowledge);
  if (!found) {
    found = knowledge.libraries.flatMap((library) =>
      (library.keys ?? []).flatMap((entry) =>
        !entry.isPathIntoEvent
          ? []
          : oneOrMore(entry.member).flatMap((member) => {
              const { name, form } = parseMember(member);
              return form === "new" ? [] : [{ name, form, member, key: { library, entry } }];
            }),
      ),
    );
    setters.set(knowledge, found);
  }
  return found;
}

function keyPathOf(call: CallNode, key: Known<EntryOf<"keys">>, analysis: FileAnalysis): readonly KeyPath[] {
  const { slot } = key.entry;
  const options = call.args.find((_, index) => slotIndexFits(slot, index, call.args.length));
  const handler = handlerOf(call, analysis);
  if (!handler) return [];
  const path = options ? read(options, undefined, stepsOf(slot.path ?? ""), analysis) : ("absent" as const);
  if (path === "unknown") return [];
  const place = path !== "absent" && path.node.file === call.file ? path.node : (whereMade(options, analysis) ?? call);
  return [{ node: place, path: path === "absent" ? undefined : path.text, key, handler }];
}

/** The job handler that is made idempotent: the function that is passed, or one of the file where the call only configures. */
function handlerOf(call: CallNode, analysis: FileAnalysis): KeyPath["handler"] | undefined {
  const { handlers } = callersOf(analysis);
  const decorated = call.parent;
  const [first] = call.args;
  if (decorated?.kind === "function" && decorated.decorators.includes(call)) {
    const handler = handlers.handlerOf(decorated);
    return handler && { fn: decorated, known: handler };
  }
  const settled = first && analysis.values.settle(first, undefined);
  const functions = settled?.kind === "closure" ? [settled.fn] : topFunctions(call.file.root);
  for (const fn of functions) {
    const handler = handlers.handlerOf(fn);
    if (handler) return { fn, known: handler };
  }
  return undefined;
}

/** The functions that stand at the top of a file. */
function topFunctions(node: Node): FunctionNode[] {
  if (node.kind === "function") return [node];
  return ["block", "declare", "declarator", "other", "class", "call"].includes(node.kind)
    ? childrenOf(node).flatMap(topFunctions)
    : [];
}

type Read = { readonly text: string; readonly node: Node } | "absent" | "unknown";

/** The text that stands at the end of steps into a value; constructors hand on what they are given. */
function read(node: Node, frame: Frame | undefined, steps: readonly string[], program: Program, depth = 0): Read {
  if (depth > 8) return "unknown";
  const { values, semantics } = program;
  const settled = values.settle(node, frame);
  switch (settled.kind) {
    case "absent":
      return "absent";
    case "object": {
      const [step, ...rest] = steps;
      if (step === undefined) return "unknown";
      return readProperty(settled, step, rest, program, depth);
    }
    case "other": {
      const inner = settled.node;
      if (inner.kind === "literal")
        return typeof inner.value === "string" && steps.length === 0 ? { text: inner.value, node: inner } : "unknown";
      if (inner.kind === "call" && inner.isNew) {
        const [options] = inner.args;
        return options ? read(options, settled.frame, steps, program, depth + 1) : "absent";
      }
      if (inner.kind === "name") {
        const definition = semantics.definitionOfName(inner);
        if (definition?.kind !== "variable" || definition.path.length > 0) return "unknown";
        return readVariable(definition.declarator, settled.frame, steps, program, depth);
      }
      return "unknown";
    }
    default:
      return "unknown";
  }
}

function readProperty(
  object: Extract<Settled, { kind: "object" }>,
  key: string,
  rest: readonly string[],
  program: Program,
  depth: number,
): Read {
  for (const property of object.node.properties.toReversed()) {
    if (property.isSpread || property.key === undefined) return "unknown";
    if (property.key === key) return read(property.value, object.frame, rest, program, depth + 1);
  }
  return "absent";
}

/** `let config; if (path) config = new Config({ path })`: what is assigned, where the condition can hold. */
function readVariable(
  declarator: Extract<Node, { kind: "declarator" }>,
  frame: Frame | undefined,
  steps: readonly string[],
  program: Program,
  depth: number,
): Read {
  const values = [
    ...(declarator.init ? [declarator.init] : []),
    ...usesOfVariable(program.semantics, declarator, []).flatMap(({ node }) =>
      node.parent?.kind === "assign" && node.parent.target === node && mayRun(node.parent, frame, program)
        ? [node.parent.value]
        : [],
    ),
  ];
  const last = values.at(-1);
  if (!last) return "absent";
  return values.length > 1 ? "unknown" : read(last, frame, steps, program, depth + 1);
}

function mayRun(node: Node, frame: Frame | undefined, { values }: Program): boolean {
  const fn = enclosingFunction(node);
  for (let inner = node, around = node.parent; around && around !== fn; inner = around, around = around.parent) {
    if (around.kind !== "if") continue;
    const truth = values.truth(around.test, frame);
    if (truth !== undefined && around.then === inner && !truth) return false;
    if (truth !== undefined && around.otherwise === inner && truth) return false;
  }
  return true;
}

/** The call or object of this file that makes the options. */
function whereMade(options: Node | undefined, { semantics }: Program): Node | undefined {
  if (options?.kind !== "name") return options;
  const definition = semantics.definitionOfName(options);
  const init = definition?.kind === "variable" ? definition.declarator.init : undefined;
  return init?.file === options.file ? init : options;
}

/** The identity of the delivery that a path leads to: its last step, unless it stands in the message's body. */
export function identityAtPath({ path, handler }: KeyPath): Known<EntryOf<"identities">> | undefined {
  if (path === undefined) return undefined;
  const behind = String.raw`(?:\.(?:\w+|\[[^\]]*\]|\{[^}]*\}))*`;
  const outside = path.replace(
    new RegExp(String.raw`powertools_\w+\([^)]*\)${behind}|\b(?:body|Message|detail|data)\b${behind}`, "g"),
    "",
  );
  const steps: readonly string[] = outside.match(/[A-Za-z_]\w*/g) ?? [];
  const { library } = handler.known;
  const entry = (library.identities ?? []).find(({ property }) =>
    oneOrMore(property).some((name) => steps.includes(name.slice(name.lastIndexOf(".") + 1))),
  );
  return entry && { library, entry };
}
