import type { Program } from "./analysis.js";
import { callersOf } from "./callers.js";
import { enclosingClass, enclosingFunction, type CallNode, type Node } from "./code/node.js";
import { nameOfDecorator } from "./decorators.js";

/** The queue of the job handler around a node, as the code names it: `new Worker("mail", …)`, `@Processor("mail")`. */
export function queueOfHandler(node: Node, program: Program): string | undefined {
  const fn = node.kind === "function" ? node : enclosingFunction(node);
  const handler = fn && callersOf(program).handlerAbove(fn)?.handler;
  const [decorator] = (handler && enclosingClass(handler.fn)?.decorators) ?? [];
  const named = handler?.registration ?? (decorator?.kind === "call" ? decorator : undefined);
  return named && firstText(named, program);
}

/** The name of the queue that a dispatch stands on: `new Queue("mail").add(…)`, `@InjectQueue("mail") queue`. */
export function queueOfDispatch(call: CallNode, program: Program): string | undefined {
  if (call.callee.kind !== "member") return undefined;
  const { object } = call.callee;
  const settled = program.values.settle(object, undefined);
  if (settled.kind === "other" && settled.node.kind === "call" && settled.node.isNew)
    return firstText(settled.node, program);
  return injectedName(object, program);
}

function injectedName(receiver: Node, program: Program): string | undefined {
  const property = receiver.kind === "member" && receiver.object.kind === "this" ? receiver.property : undefined;
  for (const member of (property !== undefined && enclosingClass(receiver)?.members) || []) {
    const decorators =
      member.kind === "field"
        ? member.name === property
          ? member.decorators
          : []
        : member.role === "constructor"
          ? member.params.flatMap(({ target, decorators }) =>
              target.kind === "name" && target.text === property ? decorators : [],
            )
          : [];
    for (const decorator of decorators)
      if (decorator.kind === "call" && /^Inject/.test(nameOfDecorator(decorator) ?? ""))
        return firstText(decorator, program);
  }
  return undefined;
}

/** The first argument of a call, where it is a text. */
export function firstText(call: CallNode, { values }: Program): string | undefined {
  const [first] = call.args;
  const constant = first && values.constant(first, undefined);
  return typeof constant?.value === "string" ? constant.value : undefined;
}
