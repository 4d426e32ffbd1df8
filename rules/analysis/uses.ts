import {
  contains,
  enclosingFunction,
  type DeclaratorNode,
  type FunctionNode,
  type NameNode,
  type Node,
} from "./code/node.js";
import { occurrences } from "./occurrences.js";
import type { Definition, Path, Semantics } from "./semantics.js";
import type { Trail } from "./trail.js";

/** A place that reads a variable, with what is left of the trail behind the names that a pattern took apart. */
export interface Use {
  readonly node: NameNode;
  readonly trail: Trail;
}

/** The places that read what a parameter brings at the end of a trail. */
export function usesOfParameter(semantics: Semantics, fn: FunctionNode, index: number, trail: Trail): readonly Use[] {
  const rest = fn.params.findIndex((candidate) => candidate.isRest);
  const isRest = rest !== -1 && index >= rest;
  const parameter = fn.params[isRest ? rest : index];
  if (!parameter) return [];
  return usesOf(parameter.target, fn, isRest ? ["[]", ...trail] : trail, semantics, (definition) =>
    definition.kind === "parameter" && definition.fn === fn && definition.parameter === parameter
      ? definition.path
      : undefined,
  );
}

/** The places that read what a variable holds at the end of a trail. */
export function usesOfVariable(semantics: Semantics, declarator: DeclaratorNode, trail: Trail): readonly Use[] {
  const scope = enclosingFunction(declarator) ?? declarator.file.root;
  return usesOf(declarator.target, scope, trail, semantics, (definition) =>
    definition.kind === "variable" && definition.declarator === declarator ? definition.path : undefined,
  );
}

function usesOf(
  target: Node,
  scope: Node,
  trail: Trail,
  semantics: Semantics,
  pathOf: (definition: Definition) => Path | undefined,
): readonly Use[] {
  return [...usesOfRest(target, scope, trail, semantics), ...usesOfNames(target, scope, trail, semantics, pathOf)];
}

/** What a pattern leaves over: `const { id, ...rest } = order`. No other name is without a definition here. */
function usesOfRest(target: Node, scope: Node, trail: Trail, semantics: Semantics): readonly Use[] {
  const [first] = trail;
  if (target.kind !== "pattern" || first === undefined) return [];
  const rest = target.entries.find(({ key }) => key === undefined)?.target;
  if (rest?.kind !== "name" || target.entries.some(({ key }) => String(key) === first)) return [];
  return occurrences(scope.file, rest.text).flatMap((node): Use[] =>
    node.kind === "name" &&
    node !== rest &&
    node.start > rest.end &&
    contains(scope, node) &&
    semantics.definitionOfName(node) === undefined
      ? [{ node, trail }]
      : [],
  );
}

function usesOfNames(
  target: Node,
  scope: Node,
  trail: Trail,
  semantics: Semantics,
  pathOf: (definition: Definition) => Path | undefined,
): readonly Use[] {
  return namesIn(target).flatMap((name) =>
    occurrences(scope.file, name.text).flatMap((node): Use[] => {
      if (node.kind !== "name" || node === name || !contains(scope, node)) return [];
      const definition = semantics.definitionOfName(node);
      const path = definition && pathOf(definition);
      const rest = path && stepInto(trail, path);
      return rest ? [{ node, trail: rest }] : [];
    }),
  );
}

/** What is left of a trail behind steps into a value; `undefined` where the trail leads elsewhere. */
export function stepInto(trail: Trail, path: Path): Trail | undefined {
  let rest = trail;
  for (const step of path) {
    const [first, ...others] = rest;
    if (first === "*") {
      // an entry of a map: its key is not the value, and the steps behind its value are known
      if (step === 0) return undefined;
      if (typeof step === "number") continue;
      if (others[0] !== step) return undefined;
      rest = others.slice(1);
      continue;
    }
    if (first === undefined || (first === "[]" ? typeof step !== "number" : first !== String(step))) return undefined;
    rest = others;
  }
  return rest;
}

function namesIn(target: Node): NameNode[] {
  if (target.kind === "name") return [target];
  return target.kind === "pattern" ? target.entries.flatMap((entry) => namesIn(entry.target)) : [];
}
