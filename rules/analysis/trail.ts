import type { Slot } from "../catalogue/vocabulary.js";

/**
 * Where in a value something stands: property names from the outside in; `"[]"` is some element of an array, `"*"` some
 * number of unknown steps.
 */
export type Trail = readonly string[];

/** What is left of a trail behind a slot's path; `undefined` where the trail does not lead through the slot. */
export function matchSlot(slotPath: string | undefined, trail: Trail): Trail | undefined {
  let rest = trail;
  for (const step of slotPath === undefined ? [] : stepsOf(slotPath)) {
    const [first, ...others] = rest;
    if (first === "*") return ["*"];
    if (first === undefined) return undefined;
    if (step === "[]" && first !== "[]") continue;
    if (step !== "*" && step !== first) return undefined;
    rest = others;
  }
  return rest;
}

/** `"messages[].key"` → `messages`, `[]`, `key`. */
export function stepsOf(path: string): string[] {
  return path.split(".").flatMap((part) => {
    const arrays = part.match(/\[\]/g) ?? [];
    const name = part.replace(/\[\]/g, "");
    return name === "" ? arrays : [name, ...arrays];
  });
}

/** Whether a slot is about the argument at an index. */
export function slotIndexFits(slot: Slot, index: number, count: number): boolean {
  return slot.argument === "last" ? index === count - 1 : slot.argument === index;
}

/** The last property name of a trail. */
export function lastName(trail: Trail): string | undefined {
  return trail.findLast((step) => step !== "[]" && step !== "*");
}
