import type { LeasePair, Library, Member, OneOrMore, Reach, Slot } from "../catalogue/vocabulary.js";
import type { Program } from "./analysis.js";
import { carriersOf, type Carrier, type Carriers } from "./carriers.js";
import {
  childrenOf,
  enclosingClass,
  enclosingFunction,
  type CallNode,
  type CodeFile,
  type MemberNode,
  type Node,
} from "./code/node.js";
import { nameOfCallee } from "./effects.js";
import { firstGiven, givenAt, step, stepsOf, type Given } from "./given.js";
import { oneOrMore, parseMember } from "./knowledge.js";
import type { Frame, Values } from "./values.js";

/** The place from which both sides of a pair are found. */
export interface Anchor extends Carrier {
  readonly pair: LeasePair;
  readonly library: Library;
}

/** A call with the frame that its arguments are read in, or a class with its static fields. */
export interface Target {
  readonly args: readonly Node[];
  readonly frame: Frame | undefined;
  readonly fields?: Node;
}

/** What a reach leads to. */
export interface Targets {
  readonly calls: readonly Target[];
  /** Something else, which cannot be read here, may set it. */
  readonly hidden: boolean;
  /** `"nowhere"`: nothing in sight is about this name, so whoever is may set it; `"seen"`: something is. */
  readonly sight?: "seen" | "nowhere";
}

const nothing: Targets = { calls: [], hidden: true };

/** Finds the calls that say something about an anchor: around it, and elsewhere in the project. */
export class Reaches {
  readonly #program: Program;
  readonly #carriers: Carriers;

  constructor(program: Program) {
    this.#program = program;
    this.#carriers = carriersOf(program);
  }

  of(anchor: Anchor, reach: Reach | undefined, slot: OneOrMore<Slot>): Targets {
    if (!reach)
      return {
        calls: [
          anchor.node.kind === "class"
            ? { args: [], frame: undefined, fields: anchor.node }
            : { args: anchor.args, frame: undefined },
        ],
        hidden: false,
      };
    if ("made" in reach) return this.#made(anchor, reach, slot);
    if ("chained" in reach) return this.#chained(anchor, reach.chained);
    if ("anywhere" in reach) {
      const calls = this.#carriers
        .everywhere(reach.anywhere, anchor.library, anchor.node.file)
        .map(({ args }): Target => ({ args, frame: undefined }));
      return { calls, hidden: false };
    }
    return this.#named(anchor, reach, slot);
  }

  #made(anchor: Anchor, reach: Extract<Reach, { made: unknown }>, slot: OneOrMore<Slot>): Targets {
    const from = reach.from ? this.of(anchor, reach.from, []).calls[0] : { args: anchor.args, frame: undefined };
    if (!from) return nothing;
    const expression = reach.made === "receiver" ? receiverOf(anchor.node) : undefined;
    const given =
      reach.made === "receiver" ? undefined : firstGiven(from.args, from.frame, reach.made, this.#program.values);
    const value = expression
      ? { node: expression, frame: undefined }
      : given?.kind === "given"
        ? { node: given.value, frame: given.frame }
        : undefined;
    if (!value) return nothing;
    const origin = this.#originOf(value.node, value.frame, reach.by, anchor.library, 0);
    if (typeof origin === "object") return { calls: [{ args: origin.call.args, frame: origin.frame }], hidden: false };
    if (origin === "other") return nothing;
    // a parameter, or what another file made: the default holds unless some such call sets it
    const makers = this.#carriers.everywhere(reach.by, anchor.library, anchor.node.file);
    const hidden = makers.some(({ args }) =>
      givenAt(args, undefined, slot, this.#program.values).some((each) => each.kind !== "absent"),
    );
    return { calls: [], hidden, sight: makers.length > 0 || isSelfContained(anchor.node.file) ? "seen" : "nowhere" };
  }

  /** The call of one of the members that made a value. */
  #originOf(
    node: Node,
    frame: Frame | undefined,
    by: OneOrMore<Member>,
    library: Library,
    depth: number,
  ): { call: CallNode; frame: Frame | undefined } | "open" | "other" {
    if (depth > 6) return "other";
    const settled = this.#program.values.settle(node, frame);
    if (settled.kind === "parameter") return "open";
    if (settled.kind === "instance") {
      const [made] = this.#carriers
        .in(settled.of.file, by, library)
        .filter(({ node: call }) => enclosingClass(call) === settled.of);
      return made?.node.kind === "call" ? { call: made.node, frame: undefined } : "other";
    }
    // `queue.queueArn` is the queue's
    if (settled.kind === "declared" && node.kind === "member")
      return this.#originOf(node.object, frame, by, library, depth + 1);
    if (settled.kind !== "other") return "other";
    const { node: value } = settled;
    if (value.kind === "call") {
      if (this.#carriers.isCallOf(value, by, library)) return { call: value, frame: settled.frame };
      // `subscription.on("error", …).on("message", …)`
      const below =
        value.callee.kind === "member" && !value.isNew
          ? this.#originOf(value.callee.object, settled.frame, by, library, depth + 1)
          : "other";
      return typeof below === "object" ? below : "other";
    }
    const assigned =
      value.kind === "member"
        ? assignedToField(value)
        : value.kind === "name"
          ? this.#assignedToVariable(value)
          : undefined;
    if (assigned) return this.#originOf(assigned, settled.frame, by, library, depth + 1);
    const isVariable = value.kind === "name" && this.#program.semantics.definitionOfName(value)?.kind === "variable";
    return isVariable || (value.kind === "member" && value.object.kind === "this") ? "open" : "other";
  }

  /** The only value that a variable without an initialiser is ever given. */
  #assignedToVariable(name: Extract<Node, { kind: "name" }>): Node | undefined {
    const definition = this.#program.semantics.definitionOfName(name);
    if (definition?.kind !== "variable" || definition.declarator.init) return undefined;
    const scope = enclosingFunction(definition.declarator) ?? definition.declarator.file.root;
    return only(assignments(scope).filter(({ target }) => target.kind === "name" && target.text === name.text));
  }

  #chained(anchor: Anchor, members: OneOrMore<Member>): Targets {
    const names = oneOrMore(members).map((member) => parseMember(member).name);
    const calls = chainOf(anchor.node).filter(
      (call) => names.includes(nameOfCallee(call) ?? "") && this.#carriers.isCallOf(call, members, anchor.library),
    );
    return { calls: calls.map((call) => ({ args: call.args, frame: undefined })), hidden: !isWholeChain(anchor.node) };
  }

  #named(anchor: Anchor, reach: Extract<Reach, { namedIn: unknown }>, slot: OneOrMore<Slot>): Targets {
    const from = reach.from ? this.of(anchor, reach.from, []).calls[0] : { args: anchor.args, frame: undefined };
    const wanted = from && firstGiven(from.args, from.frame, reach.as, this.#program.values);
    if (wanted?.kind !== "given") return nothing;
    // `consume((await channel.assertQueue("")).queue, …)`
    const direct =
      wanted.value.kind === "member"
        ? this.#originOf(wanted.value.object, wanted.frame, reach.namedIn, anchor.library, 0)
        : "other";
    if (typeof direct === "object") return { calls: [{ args: direct.call.args, frame: direct.frame }], hidden: false };
    const key = this.#nameOf(wanted.value, wanted.frame);
    if (key === undefined) return nothing;
    const calls: Target[] = [];
    let hidden = false;
    for (const carrier of this.#carriers.everywhere(reach.namedIn, anchor.library, anchor.node.file)) {
      const names = oneOrMore(reach.name)
        .flatMap((place) => givenAt(carrier.args, undefined, place, this.#program.values))
        .flatMap((given) =>
          given.kind === "given"
            ? [this.#nameOf(given.value, given.frame)]
            : given.kind === "unknown"
              ? [undefined]
              : [],
        );
      const target: Target = { args: carrier.args, frame: undefined };
      if (names.includes(key)) calls.push(target);
      // a wrapper that is told the name: it may be about this one too
      else if (
        names.includes(undefined) &&
        givenIn(target, slot, this.#program.values).some((each) => each.kind !== "absent")
      )
        hidden = true;
    }
    return {
      calls,
      hidden: hidden && calls.length === 0,
      sight: calls.length > 0 || isSelfContained(anchor.node.file) ? "seen" : "nowhere",
    };
  }

  /** What tells one name from another: its text, or the one place that it comes from. */
  #nameOf(node: Node, frame: Frame | undefined): string | object | undefined {
    const { values } = this.#program;
    const constant = values.constant(node, frame);
    if (typeof constant?.value === "string") return constant.value;
    const settled = values.settle(node, frame);
    if (settled.kind === "declared")
      return JSON.stringify(settled.refs.map(({ file, container, name }) => [file, container, name]));
    if (settled.kind === "class") return settled.node;
    return settled.kind === "other" && settled.node !== node && settled.node.kind !== "name" ? settled.node : undefined;
  }
}

/** What stands at the slots of a call, or in the static fields of a class (`static options = { timeout: "2m" }`). */
export function givenIn({ args, frame, fields }: Target, slots: OneOrMore<Slot>, values: Values): readonly Given[] {
  if (!fields) return givenAt(args, frame, slots, values);
  return oneOrMore(slots).flatMap((slot): readonly Given[] => {
    const [first, ...rest] = stepsOf(slot.path);
    const members = fields.kind === "class" ? fields.members : [];
    const field = members.find((member) => member.kind === "field" && member.name === first);
    if (field?.kind !== "field" || !field.value) return [{ kind: "absent" }];
    return step({ kind: "given", value: field.value, frame: undefined, at: field, name: first }, rest, values);
  });
}

function receiverOf(node: Node): Node | undefined {
  return node.kind === "call" && node.callee.kind === "member" ? node.callee.object : undefined;
}

/** The calls of a fluent chain, up and down from one of them. */
function chainOf(node: Node): readonly CallNode[] {
  const chain: CallNode[] = [];
  for (let down: Node | undefined = node; down?.kind === "call"; down = receiverOf(down)) chain.push(down);
  for (
    let up = node;
    up.parent?.kind === "member" &&
    up.parent.object === up &&
    up.parent.parent?.kind === "call" &&
    up.parent.parent.callee === up.parent;
    up = up.parent.parent
  )
    chain.push(up.parent.parent);
  return chain;
}

/** A chain that is kept in a variable may go on elsewhere. */
function isWholeChain(node: Node): boolean {
  return chainOf(node).every((call) => call.parent?.kind !== "declarator");
}

/** `this.worker = new Worker(…)`: the only value that a field is ever given. */
function assignedToField(member: MemberNode): Node | undefined {
  const owner = member.object.kind === "this" ? enclosingClass(member) : undefined;
  return (
    owner &&
    only(
      assignments(owner).filter(
        ({ target }) =>
          target.kind === "member" && target.object.kind === "this" && target.property === member.property,
      ),
    )
  );
}

function only(found: readonly Extract<Node, { kind: "assign" }>[]): Node | undefined {
  return found.length === 1 ? found[0]?.value : undefined;
}

function assignments(node: Node): Extract<Node, { kind: "assign" }>[] {
  const inner = childrenOf(node).flatMap(assignments);
  return node.kind === "assign" ? [node, ...inner] : inner;
}

const selfContained = new WeakMap<CodeFile, boolean>();

/** Whether nothing of the project is imported here and nothing exported: all that there is to see is in this file. */
function isSelfContained(file: CodeFile): boolean {
  let answer = selfContained.get(file);
  if (answer === undefined) {
    answer =
      !/^\s*export\b(?!\s*\{\s*\})/m.test(file.text) &&
      !/\bmodule\.exports\b/.test(file.text) &&
      !/\b(?:from|import|require)\s*\(?\s*["'](?:[./~#]|@\/)/.test(file.text);
    selfContained.set(file, answer);
  }
  return answer;
}
