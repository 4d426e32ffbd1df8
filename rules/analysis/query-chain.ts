import { enclosingFunction, type CallNode, type MemberNode, type Node, type TemplateNode } from "./code/node.js";

const promiseMembers = new Set(["then", "catch", "finally"]);

/** What a chain of calls begins with, the outermost object first: `db`, `db.orders`, or `(tx ?? db)`. */
export function linksOf(chain: CallNode | TemplateNode): readonly Node[] {
  const links: Node[] = [];
  for (let node: Node | undefined = chain; node;) {
    if (["name", "member", "binary", "conditional"].includes(node.kind)) links.unshift(node);
    node =
      node.kind === "call"
        ? node.callee
        : node.kind === "template"
          ? node.tag
          : node.kind === "member"
            ? node.object
            : undefined;
  }
  return links;
}

/** Whether a chain goes no further than a call, but for what waits for it. */
export function isChainTop(node: CallNode | TemplateNode): boolean {
  const { parent } = node;
  if (node.kind === "call" && node.callee.kind === "member" && promiseMembers.has(node.callee.property ?? ""))
    return false;
  return parent?.kind === "member" && parent.object === node
    ? promiseMembers.has(parent.property ?? "")
    : !(parent?.kind === "call" && parent.callee === node);
}

/** The whole chain that a call is a part of, but for what waits for it. */
export function topOf(call: CallNode): CallNode | MemberNode {
  let top: CallNode | MemberNode = call;
  for (let next = call.parent; next; next = next.parent) {
    const goesOn =
      (next.kind === "member" && next.object === top && !promiseMembers.has(next.property ?? "")) ||
      (next.kind === "call" && next.callee === top);
    if (!goesOn || (next.kind !== "member" && next.kind !== "call")) break;
    top = next;
  }
  return top;
}

/** Whether what a chain makes is surely sent where it stands: awaited, returned, or waited for with others. */
export function isSent(node: Node): boolean {
  const { parent } = node;
  switch (parent?.kind) {
    case "await":
    case "return":
      return true;
    case "function":
      return parent.body === node;
    case "member":
      return parent.object === node && promiseMembers.has(parent.property ?? "");
    case "array": {
      const call = parent.parent;
      return call?.kind === "call" && call.callee.kind === "member" && isPromise(call.callee.object);
    }
    case "conditional":
      return parent.test !== node && isSent(parent);
    case "binary":
      return ["&&", "||", "??"].includes(parent.operator) && isSent(parent);
    default:
      return false;
  }
}

/** Whether a function that is not async gives back what a chain makes. */
export function isHandedBack(node: CallNode | TemplateNode | undefined): boolean {
  if (!node) return false;
  const top = node.kind === "call" ? topOf(node) : node;
  return ["return", "function"].includes(top.parent?.kind ?? "") && enclosingFunction(top)?.isAsync === false;
}

/** Whether nobody waits for a call: what it does then is not meant to be a part of what stands around it. */
export function isFloating(call: CallNode): boolean {
  let whole: Node = call;
  for (let next = call.parent; next?.kind === "member" && promiseMembers.has(next.property ?? ""); next = whole.parent)
    whole = next.parent?.kind === "call" ? next.parent : next;
  const isVoid = whole.parent?.kind === "unary" && whole.parent.operator === "void";
  return isVoid || (whole.kind === "call" && whole !== call && whole.parent?.kind === "block");
}

function isPromise(node: Node): boolean {
  return node.kind === "name" && node.text === "Promise";
}
