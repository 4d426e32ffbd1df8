import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { Effects } from "../effects/effects.js";
import { ConfigurationError, messageOf } from "../errors.js";
import type { Ledger } from "../ledger/ledger.js";
import type { Outbox } from "../outbox/outbox.js";
import type { Queue } from "../queue.js";

/** What `aftercommit.config.js`, `.mjs` or `.ts` exports by default: the objects of the program, to look after them. */
export interface AftercommitConfig {
  readonly outbox?: Outbox;
  readonly ledger?: Ledger<never>;
  readonly effects?: Effects;
  /** The queues whose jobs use the ledger or the effects. Those of the outbox are known by it. */
  readonly queues?: readonly Queue[];
}

const names = ["aftercommit.config.js", "aftercommit.config.mjs", "aftercommit.config.ts"];

/**
 * Loads the file of a project.
 *
 * @param path the file; default: the first that is there of the three names in `folder`
 * @throws ConfigurationError that says what is wrong with it
 */
export async function loadConfig(folder: string, path: string | undefined): Promise<AftercommitConfig> {
  const found = path === undefined ? names.map((name) => join(folder, name)).find(existsSync) : resolve(folder, path);
  if (found === undefined || !existsSync(found)) {
    throw new ConfigurationError(
      `There is no ${path ?? `${names.join(", ")} here`}. Make one that exports your outbox and ledger by default: ` +
        "`export default { outbox, ledger }`.",
    );
  }
  let loaded: { readonly default?: unknown };
  try {
    loaded = (await import(pathToFileURL(found).href)) as typeof loaded;
  } catch (error) {
    const old = (error as { code?: unknown }).code === "ERR_UNKNOWN_FILE_EXTENSION";
    const advice = old ? " This Node runs no TypeScript: use 22.18 or newer, or a file in JavaScript." : "";
    throw new ConfigurationError(`${found} cannot be loaded: ${messageOf(error)}.${advice}`, error);
  }
  return checked(found, loaded.default);
}

const keys = new Set(["outbox", "ledger", "effects", "queues"]);

function checked(file: string, value: unknown): AftercommitConfig {
  if (typeof value !== "object" || value === null) {
    throw new ConfigurationError(`${file} must export an object by default: \`export default { outbox, ledger }\`.`);
  }
  const wrong = Object.keys(value).find((key) => !keys.has(key));
  if (wrong !== undefined) {
    throw new ConfigurationError(
      `${file} exports \`${wrong}\`, which means nothing here; take ${[...keys].join(", ")}.`,
    );
  }
  return value;
}

/** @throws ConfigurationError when the project's file names none */
export function outboxOf({ outbox }: AftercommitConfig): Outbox {
  if (outbox === undefined) throw new ConfigurationError("aftercommit.config exports no `outbox`.");
  return outbox;
}

/** @throws ConfigurationError when the project's file names none */
export function ledgerOf({ ledger }: AftercommitConfig): Ledger<never> {
  if (ledger === undefined) throw new ConfigurationError("aftercommit.config exports no `ledger`.");
  return ledger;
}

/** @throws ConfigurationError when the project's file names none */
export function effectsOf({ effects }: AftercommitConfig): Effects {
  if (effects === undefined) throw new ConfigurationError("aftercommit.config exports no `effects`.");
  return effects;
}
