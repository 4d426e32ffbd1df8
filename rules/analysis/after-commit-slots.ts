import type { Program } from "./analysis.js";
import { enclosingFunction, type CallNode, type CodeFile, type Node } from "./code/node.js";
import { refOfImport } from "./imports.js";
import { oneOrMore, parseMember } from "./knowledge.js";
import type { Scope } from "./transaction-scope.js";

/** An after-commit slot that can be used at a place: what to write before the function. */
export interface Slot {
  readonly label: string;
  readonly before: string;
}

/** Finds after-commit slots that are at hand: on the transaction's handle, or imported into the file. */
export class AfterCommitSlots {
  readonly #program: Program;
  readonly #file: CodeFile;

  constructor(program: Program, file: CodeFile) {
    this.#program = program;
    this.#file = file;
  }

  at(scope: Scope, place: Node): Slot | undefined {
    return this.#onHandle(scope, place) ?? this.#imported();
  }

  /** `t.afterCommit(` for a handle `t` whose library has such a member. */
  #onHandle(scope: Scope, place: Node): Slot | undefined {
    if (scope.kind !== "callback" || scope.openedAt.kind !== "call" || scope.body.kind !== "function") return undefined;
    const { effects, knowledge } = this.#program;
    const call: CallNode = scope.openedAt;
    for (const { library, entry } of knowledge.transactions.find(effects.calledBy(call, undefined).refs)) {
      const parameter = entry.handle === "last" ? scope.body.params.at(-1) : scope.body.params[entry.handle ?? -1];
      if (parameter?.target.kind !== "name" || enclosingFunction(place) !== scope.body) continue;
      for (const slot of library.afterCommit ?? []) {
        const member = oneOrMore(slot.member)
          .map(parseMember)
          .find(({ container }) => container === entry.handleType);
        if (!member || slot.after === "rollback" || slot.unreliable) continue;
        const handle = parameter.target.text;
        const event = slot.event === undefined ? "" : `"${slot.event}", `;
        return { label: `${handle}.${member.name}`, before: `${handle}.${member.name}(${event}` };
      }
    }
    return undefined;
  }

  /** A slot that the file already imports. */
  #imported(): Slot | undefined {
    const { knowledge } = this.#program;
    if (this.#file.root.kind !== "block") return undefined;
    for (const statement of this.#file.root.body) {
      if (statement.kind !== "import") continue;
      for (const { local, imported } of statement.specifiers) {
        const [slot] = knowledge.afterCommit.find([
          refOfImport(statement.module, imported === "default" ? local : imported, this.#file.path),
        ]);
        if (slot?.entry.callback === 0 && slot.entry.after !== "rollback") return { label: local, before: `${local}(` };
      }
    }
    return undefined;
  }
}
