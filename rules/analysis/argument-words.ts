import type { OneOrMore } from "../catalogue/vocabulary.js";
import type { CallNode } from "./code/node.js";
import { oneOrMore } from "./knowledge.js";

/** Whether one of some words stands among the arguments of a call, as a string or as a property of an object: `"NX"`, `{ NX: true }`. */
export function hasArgumentWord(call: CallNode, words: OneOrMore<string> | undefined): boolean {
  const meant = oneOrMore(words);
  return (
    meant.length > 0 &&
    call.args.some(
      (argument) =>
        (argument.kind === "literal" && typeof argument.value === "string" && meant.includes(argument.value)) ||
        (argument.kind === "object" && argument.properties.some(({ key }) => key !== undefined && meant.includes(key))),
    )
  );
}
