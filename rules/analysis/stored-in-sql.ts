import type { Program } from "./analysis.js";
import type { Found } from "./arrivals.js";
import type { CallNode, Node, TemplateNode } from "./code/node.js";
import { insertIn, updateIn } from "./insert-text.js";
import { lastName, type Trail } from "./trail.js";

/** `query("INSERT INTO …", [id])`: the text that is given before says that the values are stored. */
export function insertedBy(
  call: CallNode,
  trail: Trail,
  element: number | undefined,
  program: Program,
): Found[] | undefined {
  const [first] = call.args;
  const text = first && textOf(first, program);
  const insert = text === undefined ? undefined : insertIn(text);
  if (!insert) return text === undefined ? undefined : updatedBy(call, text, trail, element);
  const column = lastName(trail) ?? (element === undefined ? undefined : insert.columns[element]);
  return [
    {
      kind: "stored",
      at: call,
      label: `INSERT INTO ${insert.table}`,
      trail,
      column,
      isByName: false,
      ...(insert.isGuarded ? { isGuarded: true } : {}),
    },
  ];
}

/** `query("UPDATE … WHERE day = $1", [day])`: which row is changed. */
function updatedBy(call: CallNode, text: string, trail: Trail, element: number | undefined): Found[] | undefined {
  const update = updateIn(text);
  const column = element === undefined ? undefined : update?.columns[element];
  return update && column !== undefined
    ? [{ kind: "changed", at: call, label: `UPDATE ${update.table}`, trail, column, isByName: false }]
    : undefined;
}

/** The same for `` sql`INSERT INTO …` ``. */
export function insertedText(
  template: TemplateNode,
): { table: string; columns: readonly string[]; isGuarded: boolean } | undefined {
  return insertIn(template.strings.join("?"));
}

function textOf(node: Node, { values }: Program): string | undefined {
  const settled = values.settle(node, undefined);
  const made = settled.kind === "other" ? settled.node : node;
  if (made.kind === "literal") return typeof made.value === "string" ? made.value : undefined;
  return made.kind === "template" ? made.strings.join("?") : undefined;
}
