import { ConfigurationError } from "./errors.js";

/**
 * A table's name as it can be put into SQL: it needs no quoting anywhere.
 *
 * @param what whose table, as the beginning of a sentence
 * @throws ConfigurationError
 */
export function plainTableName(table: string, what: string): string {
  if (/^[a-z_][a-z0-9_]*(?:\.[a-z_][a-z0-9_]*)?$/.test(table)) return table;
  throw new ConfigurationError(
    `${what} must have a plain name (lower-case letters, digits and "_", with a schema before a "." where wanted), not ` +
      `${JSON.stringify(table)}.`,
  );
}
