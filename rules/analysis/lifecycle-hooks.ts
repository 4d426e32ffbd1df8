import type { Program } from "./analysis.js";
import type { CallNode, ClassNode, FunctionNode, Node } from "./code/node.js";
import { refsOfDecorator } from "./decorators.js";
import { nameOfCallee } from "./effects.js";
import { oneOrMore, type EntryOf } from "./knowledge.js";
import { labelOf } from "./semantics.js";
import type { Settled } from "./values.js";

/** A function that an ORM calls inside a transaction that it opens itself, before the commit. */
export interface Hook {
  readonly label: string;
  /** The decorator, method or call that says so. */
  readonly openedAt: Node;
  readonly closure: Extract<Settled, { kind: "closure" }>;
  /** Where the function stands in this file. */
  readonly reference: Node;
}

/** Methods of a class that an ORM calls: by their decorators, or by their names in a class that it knows. */
export function hooksOfClass(node: ClassNode, program: Program): readonly Hook[] {
  const { knowledge, semantics } = program;
  const hooks: Hook[] = [];
  const add = (label: string, openedAt: Node, fn: FunctionNode) =>
    hooks.push({ label, openedAt, closure: { kind: "closure", fn, frame: undefined, self: undefined }, reference: fn });
  const methods = node.members.filter(
    (member): member is FunctionNode => member.kind === "function" && member.body !== undefined,
  );
  for (const method of methods) {
    for (const decorator of method.decorators) {
      const refs = refsOfDecorator(decorator, program);
      if (knowledge.hookDecorators.find(refs).some(({ entry }) => !entry.onlyInCallersTransaction))
        add(`@${refs[0]?.name ?? ""}`, decorator, method);
    }
  }
  for (const library of knowledge.libraries) {
    for (const hook of library.hooks ?? []) {
      if (!("methods" in hook) || hook.onlyInCallersTransaction) continue;
      const names = oneOrMore(hook.methods);
      const named = methods.filter((method) => names.includes(method.name ?? ""));
      if (named.length === 0) continue;
      const isDecorated = node.decorators.some((decorator) =>
        knowledge.classDecorators.find(refsOfDecorator(decorator, program)).some(({ entry }) => entry === hook),
      );
      const bases = [...oneOrMore(hook.extends), ...oneOrMore(hook.implements)];
      const descends = [
        node.superClass?.kind === "name" ? node.superClass.text : "",
        ...node.interfaces.map((type) => type.path.at(-1) ?? ""),
      ].some((name) => bases.includes(name));
      if (!isDecorated && !(descends && semantics.isOfLibrary(node, library.packages))) continue;
      for (const method of named) add(`${node.name ?? "class"}.${method.name ?? ""}`, method, method);
    }
  }
  return hooks;
}

/** Functions that a call registers as hooks. */
export function hooksOfCall(call: CallNode, program: Program): readonly Hook[] {
  const { knowledge, effects } = program;
  const registers = knowledge.hookCalls.named(nameOfCallee(call)).map(({ entry }) => entry);
  // types are only asked for where a function stands in the right place
  if (!registers.some((entry) => registered(entry, call, program))) return [];
  const { refs } = effects.calledBy(call, undefined);
  return knowledge.hookCalls.find(refs).flatMap(({ entry }) => {
    const hook = registered(entry, call, program);
    return hook ? [{ label: refs[0] ? labelOf(refs[0]) : (nameOfCallee(call) ?? ""), openedAt: call, ...hook }] : [];
  });
}

/** The function that a call registers, if it registers what an entry says. */
function registered(
  entry: EntryOf<"hooks">,
  call: CallNode,
  { values }: Program,
): Pick<Hook, "closure" | "reference"> | undefined {
  // where the ORM opens no transaction, it is the caller's that decides
  if (!("registeredBy" in entry) || entry.onlyInCallersTransaction) return undefined;
  const event = entry.event && call.args[entry.event.argument];
  if (entry.event && !(event?.kind === "literal" && entry.event.oneOf.includes(String(event.value)))) return undefined;
  const reference = entry.hook.argument === "last" ? call.args.at(-1) : call.args[entry.hook.argument];
  const closure = reference && values.step(values.settle(reference, undefined), entry.hook.path?.split(".") ?? []);
  return reference && closure?.kind === "closure" ? { closure, reference } : undefined;
}
