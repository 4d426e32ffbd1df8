import type { TSESLint } from "@typescript-eslint/utils";
import type ts from "typescript";

import type { Library } from "../catalogue/vocabulary.js";
import { AfterCommitSlots } from "./after-commit-slots.js";
import { EstreeFile, type Raw } from "./code/from-estree.js";
import { codeOfSourceFile } from "./code/from-typescript.js";
import type { CodeFile, Node } from "./code/node.js";
import { Effects } from "./effects.js";
import { Knowledge } from "./knowledge.js";
import { inPlayIn, inPlayInFile } from "./packages-in-play.js";
import type { Semantics } from "./semantics.js";
import { TypedSemantics } from "./semantics-typed.js";
import { UntypedSemantics } from "./semantics-untyped.js";
import { typescriptOf } from "./typescript.js";
import { Values } from "./values.js";
import { Wrappers } from "./wrappers.js";

/** Everything that the rules share about the program that a file belongs to. */
export interface Program {
  readonly semantics: Semantics;
  readonly values: Values;
  readonly knowledge: Knowledge;
  readonly effects: Effects;
  readonly wrappers: Wrappers;
}

/** Everything that the rules share about the file that is being linted. */
export interface FileAnalysis extends Program {
  readonly file: CodeFile;
  readonly slots: AfterCommitSlots;
  /** What a report of ESLint needs to know of a node. */
  locate(node: Node): TSESLint.AST.SourceLocation;
}

/** Keyed by the program, then by what is known: an edit makes a new program, and with it new answers. */
const programs = new WeakMap<object, WeakMap<Knowledge, Program>>();
const files = new WeakMap<object, WeakMap<Knowledge, FileAnalysis>>();

/** The analysis of a file, made once for all rules. */
export function analyse(sourceCode: Readonly<TSESLint.SourceCode>, path: string, knowledge: Knowledge): FileAnalysis {
  const known = files.get(sourceCode)?.get(knowledge);
  if (known) return known;
  const { file, program } = typedProgram(sourceCode, path, knowledge) ?? untypedProgram(sourceCode, path, knowledge);
  const analysis: FileAnalysis = {
    ...program,
    file,
    slots: new AfterCommitSlots(program, file),
    locate: (node) => ({ start: sourceCode.getLocFromIndex(node.start), end: sourceCode.getLocFromIndex(node.end) }),
  };
  remember(files, sourceCode, knowledge, analysis);
  return analysis;
}

function typedProgram(
  sourceCode: Readonly<TSESLint.SourceCode>,
  path: string,
  knowledge: Knowledge,
): { file: CodeFile; program: Program } | undefined {
  // under oxlint and other parsers the services are an empty object
  const services = sourceCode.parserServices as { program?: ts.Program | null } | undefined;
  const tsProgram = services?.program;
  const sourceFile = tsProgram?.getSourceFile(path);
  if (!tsProgram || !sourceFile || sourceFile.text !== sourceCode.text) return undefined;
  const typescript = typescriptOf(tsProgram, sourceFile);
  if (!typescript) return undefined;
  let program = programs.get(tsProgram)?.get(knowledge);
  if (!program) {
    const part = knowledge.among(inPlayIn(tsProgram));
    program = programOf(new TypedSemantics(typescript, tsProgram, part), part);
    remember(programs, tsProgram, knowledge, program);
  }
  return { file: codeOfSourceFile(typescript, sourceFile), program };
}

function untypedProgram(
  sourceCode: Readonly<TSESLint.SourceCode>,
  path: string,
  knowledge: Knowledge,
): { file: CodeFile; program: Program } {
  const file = new EstreeFile(path, sourceCode.text, sourceCode.ast as unknown as Raw);
  const scopeOf = (raw: Raw) => sourceCode.getScope(raw as never);
  const part = knowledge.among(inPlayInFile(file));
  return { file, program: programOf(new UntypedSemantics(file, scopeOf as never, part), part) };
}

function programOf(semantics: Semantics, knowledge: Knowledge): Program {
  // effects and wrappers ask each other, so each is handed the program before it is whole
  const program = { semantics, values: new Values(semantics), knowledge } as Program;
  return Object.assign(program, { effects: new Effects(program), wrappers: new Wrappers(program) });
}

function remember<T>(cache: WeakMap<object, WeakMap<Knowledge, T>>, key: object, knowledge: Knowledge, value: T): void {
  let byKnowledge = cache.get(key);
  if (!byKnowledge) cache.set(key, (byKnowledge = new WeakMap()));
  byKnowledge.set(knowledge, value);
}

const knowledges = new WeakMap<readonly Library[], Knowledge>();

/** The knowledge of a list of libraries, indexed once. */
export function knowledgeOf(libraries: readonly Library[]): Knowledge {
  let knowledge = knowledges.get(libraries);
  if (!knowledge) knowledges.set(libraries, (knowledge = new Knowledge(libraries)));
  return knowledge;
}
