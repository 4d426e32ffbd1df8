import type { DurationSetting, LeaseCondition, Reach, Slot } from "../catalogue/vocabulary.js";
import type { Program } from "./analysis.js";
import type { Node } from "./code/node.js";
import { Durations } from "./duration.js";
import { oneOrMore, parseMember } from "./knowledge.js";
import { givenIn, Reaches, type Anchor, type Target } from "./lease-reach.js";
import type { Part } from "./limit.js";

/** One side of a pair. */
export interface Side {
  readonly ms: number;
  /** Where a person changes it; absent: nowhere, a default holds. */
  readonly node: Node | undefined;
  /** What it is called: `lockDuration`. */
  readonly name: string | undefined;
  readonly setting?: DurationSetting;
  /** The limits that add up to it. */
  readonly parts?: readonly Part[];
}

/** What a setting comes to. */
export interface Read {
  readonly sides: readonly Side[];
  /** Set, but not to a constant. */
  readonly isUnknown: boolean;
  /** Somewhere it is not set: the default, or the next setting, holds there. */
  readonly isOpen: boolean;
  /** Somewhere it is set to leave it to the next setting. */
  readonly isPassedOn: boolean;
  readonly hidden: boolean;
  readonly sight: "seen" | "nowhere" | undefined;
}

/** Reads the settings of pairs. */
export class LeaseSettings {
  readonly #program: Program;
  readonly #reaches: Reaches;
  readonly durations: Durations;

  constructor(program: Program) {
    this.#program = program;
    this.#reaches = new Reaches(program);
    this.durations = new Durations(program);
  }

  /** What a setting is, seen from an anchor. */
  read(anchor: Anchor, setting: DurationSetting): Read {
    const { slot } = setting;
    if (slot === undefined)
      return { sides: [], isUnknown: false, isOpen: true, isPassedOn: false, hidden: false, sight: undefined };
    const { calls, hidden, sight } = this.#reaches.of(anchor, setting.at, slot);
    const sides: Side[] = [];
    let isUnknown = hidden;
    let isOpen = calls.length === 0;
    let isPassedOn = false;
    for (const call of calls) {
      for (const given of givenIn(call, slot, this.#program.values)) {
        if (given.kind === "unknown") isUnknown = true;
        else if (given.kind === "absent" || this.#program.values.settle(given.value, given.frame).kind === "absent")
          isOpen = true;
        else {
          const ms = this.durations.inMs(given.value, given.frame, setting.unit);
          if (ms === undefined) isUnknown = true;
          else if (ms === 0 && setting.zero === "default") isOpen = true;
          else if (ms === 0 && setting.zero === "next") isPassedOn = true;
          else if (ms > 0) sides.push({ ms, node: given.at, name: given.name ?? nameOfSlot(setting), setting });
        }
      }
    }
    return { sides, isUnknown, isOpen, isPassedOn, hidden, sight };
  }

  /** Whether a condition holds; `undefined`: nobody knows. */
  holds(anchor: Anchor, condition: LeaseCondition): boolean | undefined {
    // where nothing can be seen, nothing forbids to go on: the lease cannot be read there either
    const { calls } = this.#reaches.of(anchor, condition.at, condition.slot);
    const answers = calls.map((call) => this.#conditionOf(call, condition));
    if (answers.includes(true)) return true;
    return answers.includes(undefined) ? undefined : false;
  }

  /** The number in a slot: the size of a batch. */
  number(anchor: Anchor, at: Reach | undefined, slot: Slot): number | "unknown" | undefined {
    const { calls, hidden } = this.#reaches.of(anchor, at, slot);
    if (hidden) return "unknown";
    for (const call of calls) {
      const [given] = givenIn(call, slot, this.#program.values);
      if (given?.kind === "unknown") return "unknown";
      if (given?.kind === "given") return this.durations.number(given.value, given.frame) ?? "unknown";
    }
    return undefined;
  }

  #conditionOf(call: Target, { slot, is }: LeaseCondition): boolean | undefined {
    const [given] = givenIn(call, slot, this.#program.values);
    if (given?.kind === "unknown") return undefined;
    const { values } = this.#program;
    if (given?.kind !== "given" || values.settle(given.value, given.frame).kind === "absent") return false;
    if (is === undefined) return true;
    if (typeof is === "number") {
      const number = this.durations.number(given.value, given.frame);
      return number === undefined ? undefined : number === is;
    }
    if (typeof is === "boolean") {
      const truth = values.truth(given.value, given.frame);
      return truth === undefined ? undefined : truth === is;
    }
    const constant = values.constant(given.value, given.frame);
    return constant && constant.value === is;
  }
}

function nameOfSlot(setting: DurationSetting): string | undefined {
  const at = setting.at;
  return at && "chained" in at ? parseMember(oneOrMore(at.chained)[0] ?? "").name : undefined;
}
