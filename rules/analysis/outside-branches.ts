import { childrenOf, type CallNode, type ConditionalNode, type Node } from "./code/node.js";
import type { Frame, Values } from "./values.js";

/** What is known of the code around a call. */
export interface Around {
  readonly values: Values;
  readonly frame: Frame | undefined;
  /** Whether a call hands a function to an after-commit slot. */
  readonly isSlot: (call: CallNode) => boolean;
  /** Whether a value is known to be an open transaction, whatever it is called. */
  readonly isHandle?: (node: Node) => boolean;
}

/**
 * Whether a call, in a function that is called inside a transaction, stands in a branch for the case that there is
 * none: `if (!tx) await send()`, or `if (store) store.hooks.push(send); else await send();`, which keeps its work for
 * the commit where there is one.
 */
export function isInOutsideBranch(call: CallNode, around: Around): boolean {
  for (let node: Node = call; node.parent && node.parent.kind !== "function"; node = node.parent) {
    const parent: Node = node.parent;
    if (isBranching(parent)) {
      if (node === parent.then && isOutsideWhere(true, parent, parent.otherwise, around)) return true;
      if (node === parent.otherwise && isOutsideWhere(false, parent, parent.then, around)) return true;
    } else if (parent.kind === "block") {
      const at = parent.body.indexOf(node);
      const earlier = parent.body.slice(0, at).filter(isLeaving);
      if (earlier.some((branch) => isOutsideWhere(false, branch, branch.then, around))) return true;
      if (isLeaving(node) && parent.body.slice(at + 1).some((later) => keeps(later, node.test, around))) return true;
    }
  }
  return false;
}

function isOutsideWhere(holds: boolean, { test }: ConditionalNode, other: Node | undefined, around: Around): boolean {
  return saysOutside(test, holds, around) || (other !== undefined && keeps(other, test, around));
}

function isBranching(node: Node): node is ConditionalNode {
  return node.kind === "if" || node.kind === "conditional";
}

/** `if (…) { …; return; }`, whose other branch is all that stands behind it. */
function isLeaving(node: Node): node is ConditionalNode {
  if (node.kind !== "if" || node.otherwise) return false;
  const last = node.then.kind === "block" ? node.then.body.at(-1) : node.then;
  return last?.kind === "return";
}

/** Whether a test, where it holds or does not, says that no transaction is open. */
function saysOutside(test: Node, holds: boolean, around: Around): boolean {
  switch (test.kind) {
    case "unary":
      return test.operator === "!" && saysOutside(test.argument, !holds, around);
    case "binary":
      if (test.operator === "&&" || test.operator === "||")
        return (
          holds === (test.operator === "&&") &&
          (saysOutside(test.left, holds, around) || saysOutside(test.right, holds, around))
        );
      return (
        /^[!=]==?$/.test(test.operator) &&
        isNothing(test.right) &&
        saysOutside(test.left, holds === test.operator.startsWith("!"), around)
      );
    case "call":
      return !holds && asksForTransaction(test.callee);
    default:
      return !holds && (asksForTransaction(test) || isGivenHandle(test, around));
  }
}

/** `trx.isTransaction`, `session.inTransaction()`. */
function asksForTransaction(node: Node): boolean {
  const name = node.kind === "member" ? node.property : node.kind === "name" ? node.text : undefined;
  return name !== undefined && /^(?:is|in|has)[A-Z]?\w*transaction/i.test(name);
}

/** A parameter that is called a handle, where something is passed for it. */
function isGivenHandle(node: Node, { values, frame, isHandle }: Around): boolean {
  if (isHandle?.(node)) return true;
  if (node.kind !== "name" || !/^(?:tx|trx|t|trans)$|(?:tx|trx|transaction|session)$/i.test(node.text)) return false;
  const settled = values.settle(node, frame);
  return settled.kind !== "absent" && !(settled.kind === "parameter" && settled.fn === frame?.fn);
}

function isNothing(node: Node): boolean {
  return (node.kind === "name" && node.text === "undefined") || (node.kind === "literal" && node.value === null);
}

const keepers = new Set(["push", "unshift", "add", "set"]);
const speaksOfKeeping = /tra?ns|trx|\btx\b|inTx|commit|uow|unitOfWork|buffer|defer|collect|pending/i;

/** Whether a branch hands something to an after-commit slot, or to a list that its test says to be there. */
function keeps(node: Node, test: Node, around: Around): boolean {
  if (node.kind === "function" || node.kind === "class") return false;
  if (node.kind === "call" && (isKept(node, test) || around.isSlot(node))) return true;
  return childrenOf(node).some((child) => keeps(child, test, around));
}

function isKept(call: CallNode, test: Node): boolean {
  const { callee } = call;
  if (callee.kind !== "member" || !keepers.has(callee.property ?? "") || call.parent?.kind === "await") return false;
  if (call.args.some((argument) => argument.kind === "function")) return true;
  let root: Node = callee.object;
  while (root.kind === "member") root = root.object;
  return (
    (root.kind === "name" && testsFor(test, root.text)) ||
    speaksOfKeeping.test(test.file.text.slice(test.start, test.end))
  );
}

/** `store`, `!store`, `store !== undefined`, `store && …`. */
function testsFor(test: Node, name: string): boolean {
  switch (test.kind) {
    case "name":
      return test.text === name;
    case "unary":
      return test.operator === "!" && testsFor(test.argument, name);
    case "binary":
      return testsFor(test.left, name) || (test.operator === "&&" && testsFor(test.right, name));
    default:
      return false;
  }
}
