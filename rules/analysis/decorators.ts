import type { Program } from "./analysis.js";
import type { Node } from "./code/node.js";
import { renamesIn } from "./renames.js";
import type { Ref } from "./semantics.js";

/** What the catalogue and the settings may know a decorator by; nothing where its name tells that they do not. */
export function refsOfDecorator(decorator: Node, { knowledge, effects, values }: Program): readonly Ref[] {
  const callee = decorator.kind === "call" ? decorator.callee : decorator;
  const name = nameOfDecorator(decorator);
  const isKnown = [
    knowledge.decorators,
    knowledge.dispatchDecorators,
    knowledge.hookDecorators,
    knowledge.classDecorators,
  ].some((index) => index.hasName(name));
  if (!isKnown && !renamesIn(decorator.file).some(([, to]) => to === name)) return [];
  return effects.refsOfCallee(callee, values.settle(callee, undefined));
}

export function nameOfDecorator(decorator: Node): string | undefined {
  const callee = decorator.kind === "call" ? decorator.callee : decorator;
  return callee.kind === "name" ? callee.text : callee.kind === "member" ? callee.property : undefined;
}
