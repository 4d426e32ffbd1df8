import { childrenOf, type CallNode, type Node } from "./code/node.js";
import { nameOfCallee } from "./effects.js";

const conflicts =
  /^(?:onConflict\w*|orIgnore|orUpdate|onDuplicateKeyUpdate|ignore|findOrCreate\w*|firstOrCreate|insertOrIgnore|upsert\w*)$/;

/** Whether a second insert of the same business row is taken by the database: `.onConflictDoNothing()`, `skipDuplicates`. */
export function isGuarded(call: CallNode, column: string | undefined): boolean {
  const takes = (link: CallNode): boolean => {
    const name = nameOfCallee(link) ?? "";
    if (!conflicts.test(name)) return false;
    if (link === call && name.startsWith("upsert")) {
      const stated = conflictColumns(call);
      return stated.length > 0 && !stated.includes(column ?? "");
    }
    // a conflict on the random column itself never comes
    const targets = link.args.flatMap(textsIn);
    return !(column !== undefined && targets.length > 0 && targets.every((text) => text === column));
  };
  for (let link: Node | undefined = call; link; link = link.parent) {
    if (link.kind === "call" && takes(link)) return true;
    if (link.kind !== "call" && link.kind !== "member") break;
  }
  for (let link: Node = call.callee; ;) {
    if (link.kind === "member") link = link.object;
    else if (link.kind === "call") {
      if (takes(link)) return true;
      link = link.callee;
    } else break;
  }
  return call.args.some(
    (argument) =>
      argument.kind === "object" &&
      argument.properties.some(
        ({ key, value }) =>
          (key === "skipDuplicates" || key === "ignoreDuplicates" || key === "updateOnDuplicate") &&
          !(value.kind === "literal" && value.value === false),
      ),
  );
}

/** `email` of `upsert(row, ["email"])` and `upsert(row, { conflictPaths: ["email"] })`. */
export function conflictColumns(call: CallNode): readonly string[] {
  return call.args.slice(1).flatMap((argument) => {
    const lists =
      argument.kind === "object"
        ? argument.properties
            .filter(({ key }) => /conflict\w*(?:Paths|Fields)$/i.test(key ?? ""))
            .map(({ value }) => value)
        : [argument];
    return lists
      .flatMap((list) => (list.kind === "array" ? list.elements : []))
      .flatMap((element) => (element.kind === "literal" && typeof element.value === "string" ? [element.value] : []));
  });
}

function textsIn(node: Node): string[] {
  if (node.kind === "literal" && typeof node.value === "string") return [node.value];
  if (node.kind === "member" && node.property !== undefined && node.object.kind === "name") return [node.property];
  return childrenOf(node).flatMap(textsIn);
}
