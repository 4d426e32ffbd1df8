import type { CodeFile, FunctionNode, Node } from "./code/node.js";
import { nameOfVariable } from "./effects.js";
import { packageOfFile } from "./package-of.js";
import type { Definition, Ref } from "./semantics.js";

/** A function of the project as the settings may name it. */
export function refOfFunction(fn: FunctionNode, calledAs: string | undefined): Ref {
  return refIn(fn.file, containerOf(fn), fn.name ?? nameOfVariable(fn) ?? calledAs ?? "");
}

/** A declaration of the project as the settings may name it. */
export function refOfDefinition(definition: Definition, name: string): Ref | undefined {
  switch (definition.kind) {
    case "function":
      return refOfFunction(definition.fn, name);
    case "class":
      return refIn(definition.node.file, undefined, definition.node.name ?? name);
    case "field":
      return refIn(definition.field.file, containerOf(definition.field), name);
    case "property":
      return refIn(definition.property.file, containerOf(definition.property), name);
    case "variable":
      return refIn(definition.declarator.file, undefined, name);
    case "parameter":
      return refIn(definition.fn.file, undefined, name);
    case "declared":
      return undefined;
  }
}

function refIn(file: CodeFile, container: string | undefined, name: string): Ref {
  const { name: packageName, isProject } = packageOfFile(file.path);
  return { package: packageName, container, name, file: file.path, isProject };
}

/** The class around a method or field, or the constant that holds the object around it. */
function containerOf(node: Node): string | undefined {
  const { parent } = node;
  const owner =
    node.kind === "function" && !node.owner && (parent?.kind === "field" || parent?.kind === "property")
      ? parent.parent
      : parent;
  if (owner?.kind === "class") return owner.name;
  return owner?.kind === "object" && owner.parent?.kind === "declarator" && owner.parent.target.kind === "name"
    ? owner.parent.target.text
    : undefined;
}
