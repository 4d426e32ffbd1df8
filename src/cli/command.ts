import type { ParseArgsConfig } from "node:util";
import type { AftercommitConfig } from "./config.js";

/** 0 done; 1 it failed, or the doctor found something; 2 wrong usage or configuration, and nothing was done. */
export type ExitCode = 0 | 1 | 2;

/** What a command is called with. */
export interface Call {
  readonly values: Readonly<Record<string, string | boolean | undefined>>;
  readonly positionals: readonly string[];
  /** Aborts at the first SIGTERM or SIGINT. */
  readonly signal: AbortSignal;
  /** Loads the file of the project. */
  config(): Promise<AftercommitConfig>;
  /** Says on standard error how far it is. */
  progress(text: string): void;
}

export interface Answer {
  /** For people. */
  readonly text: string;
  /** For `--json`. */
  readonly data: unknown;
  readonly exitCode?: ExitCode;
}

export interface Command {
  /** As it is typed: "outbox list". */
  readonly name: string;
  /** What comes after the name. */
  readonly usage: string;
  readonly summary: string;
  /** Lines that describe the options. */
  readonly details: string;
  readonly options: NonNullable<ParseArgsConfig["options"]>;
  run(call: Call): Answer | Promise<Answer>;
}

/** The command was called wrongly. Its message says what to type. */
export class UsageError extends Error {}

/** A number that was typed. @throws UsageError */
export function numberOf(call: Call, option: string): number | undefined {
  const value = call.values[option];
  if (typeof value !== "string") return undefined;
  const number = Number(value);
  if (value.trim() !== "" && Number.isFinite(number) && number >= 0) return number;
  throw new UsageError(`--${option} must be a number from 0, not "${value}"`);
}

export function textOf(call: Call, option: string): string | undefined {
  const value = call.values[option];
  return typeof value === "string" ? value : undefined;
}
