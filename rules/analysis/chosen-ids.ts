import type { Program } from "./analysis.js";
import type { CallNode, Node } from "./code/node.js";
import { nameOfCallee } from "./effects.js";
import { oneOrMore, parseMember } from "./knowledge.js";
import { mentions, occurrences } from "./occurrences.js";
import { originsOf, type IdentityRead } from "./origin.js";
import { queueOfDispatch, queueOfHandler } from "./queue-names.js";
import { isTestFile } from "./test-file.js";
import { stepsOf } from "./trail.js";
import { isOneOf } from "./knowledge.js";
import { namesOf } from "./arrivals.js";

/** Whether the program itself gives the jobs of a queue their ids, made from the operation: then the id is a business key. */
export function isChosenByDispatcher(read: IdentityRead, program: Program): boolean {
  const { entry, library } = read.identity;
  const own = queueOfHandler(read.node, program);
  return oneOrMore(entry.chosenBy).some(({ member, slot }) => {
    const steps = stepsOf(slot.path ?? "");
    const option = steps.at(-1);
    const names = new Set(oneOrMore(member).map((name) => parseMember(name).name));
    if (option === undefined) return false;
    return program.semantics
      .projectFiles()
      .filter((file) => !isTestFile(file.path) && mentions(file, option))
      .flatMap((file) => [...names].flatMap((name) => occurrences(file, name)))
      .some((node) => {
        const call = node.parent;
        if (call?.kind !== "call" || call.callee !== node) return false;
        const value = valueAt(call, slot.argument, steps, program);
        if (!value || originsOf(program).isRandom(value)) return false;
        const { refs } = program.effects.calledBy(call, undefined);
        const isDispatch =
          refs.length > 0
            ? isOneOf(member, "member", library, refs)
            : namesOf(call.callee)
                .slice(1)
                .some((name) => /queue/i.test(name));
        const other = queueOfDispatch(call, program);
        return isDispatch && (own === undefined || other === undefined || own === other);
      });
  });
}

/** What a call is given at the end of steps into an argument. */
function valueAt(
  call: CallNode,
  argument: number | "last",
  steps: readonly string[],
  { values }: Program,
): Node | undefined {
  let node = argument === "last" ? call.args.at(-1) : call.args[argument];
  for (const step of steps) {
    const settled = node && values.settle(node, undefined);
    if (step === "[]") {
      node =
        settled?.kind === "other" && settled.node.kind === "array"
          ? settled.node.elements[0]
          : mapped(settled?.kind === "other" ? settled.node : undefined);
      continue;
    }
    node = settled?.kind === "object" ? settled.node.properties.find(({ key }) => key === step)?.value : undefined;
  }
  return node;
}

/** `items.map((item) => ({ … }))` */
function mapped(node: Node | undefined): Node | undefined {
  const [callback] = node?.kind === "call" && nameOfCallee(node) === "map" ? node.args : [];
  if (callback?.kind !== "function" || !callback.body) return undefined;
  return callback.body.kind === "block" ? undefined : callback.body;
}
