import { ConfigurationError } from "./errors.js";
import { version } from "./version.js";

const key = Symbol.for("aftercommit");

interface Copy {
  readonly version: string;
  readonly url: string;
}

/**
 * Two loaded copies would not see each other's transactions: a `run` would not join, and a job would leave early.
 *
 * @throws ConfigurationError when this process has already used another copy of this package
 */
export function refuseSecondCopy(url: string = import.meta.url): void {
  const copies = globalThis as unknown as Record<symbol, Copy | undefined>;
  const first = (copies[key] ??= { version, url });
  if (first.url !== url) {
    throw new ConfigurationError(
      `Two copies of aftercommit are loaded: ${first.version} from ${first.url} and ${version} from ${url}. ` +
        "They would not see each other's transactions. Install one version once (npm ls aftercommit).",
    );
  }
}
