import type { FileAnalysis } from "./analysis.js";
import { oneOrMore, type Knowledge } from "./knowledge.js";
import { mentionsSql, tellingNames, wordsPattern } from "./wrapper-names.js";

const libraryGates = new WeakMap<Knowledge, RegExp>();
const projectGates = new WeakMap<FileAnalysis["wrappers"], RegExp>();

/** The cheapest question first: whether the text names anything that opens a transaction or runs in one. */
export function mayHoldTransactions({ file, semantics, wrappers, knowledge }: FileAnalysis): boolean {
  if (
    libraryGate(knowledge).test(file.text) ||
    mentionsSql(file.text) ||
    knowledge.ambientPattern(file.path) !== undefined
  )
    return true;
  // of one file alone, wrappers name what the libraries name
  if (!semantics.isTyped) return false;
  let gate = projectGates.get(wrappers);
  if (!gate) projectGates.set(wrappers, (gate = wordsPattern(wrappers.tellingNames)));
  return gate.test(file.text);
}

function libraryGate(knowledge: Knowledge): RegExp {
  let gate = libraryGates.get(knowledge);
  if (!gate) {
    const hooks = knowledge.libraries
      .flatMap((library) => library.hooks ?? [])
      .flatMap((hook) => ("methods" in hook ? oneOrMore(hook.methods) : []));
    const handles = knowledge.libraries
      .flatMap((library) => library.handles ?? [])
      .flatMap((handle) => (handle.proves ? oneOrMore(handle.type) : []));
    gate = wordsPattern([
      ...tellingNames(knowledge),
      ...knowledge.ownNames,
      ...knowledge.decorators.names,
      ...knowledge.hookDecorators.names,
      ...knowledge.hookCalls.names,
      ...hooks,
      ...handles,
    ]);
    libraryGates.set(knowledge, gate);
  }
  return gate;
}
