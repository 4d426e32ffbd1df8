/** Files as people name them in settings: `src/db.ts`, `src/controllers/**`, `*.controller.ts`. */

const expressions = new Map<string, RegExp>();

/** Whether a path ends in a pattern; a pattern that begins with `/` is a whole path. */
export function matchesFile(pattern: string, path: string): boolean {
  return expressionOf(slashed(pattern)).test(slashed(path));
}

/**
 * The same for a module: `src/db.ts` is also what is imported as `./db`, `./db.js` or `@/db`, and `src/db/index.ts` what
 * is imported as `./db`.
 */
export function matchesModule(pattern: string, path: string): boolean {
  const [wanted, given] = [moduleOf(pattern), moduleOf(path)];
  if (matchesFile(pattern, path) || matchesFile(wanted, given)) return true;
  // of an alias only the end is known
  return !isAbsolute(given) && `/${wanted}`.endsWith(`/${given}`);
}

function moduleOf(path: string): string {
  return slashed(path)
    .replace(/(?:\.d)?\.[cm]?[jt]sx?$/, "")
    .replace(/\/index$/, "");
}

function slashed(path: string): string {
  return path.replaceAll("\\", "/").replace(/^\.\//, "");
}

function isAbsolute(path: string): boolean {
  return /^(?:\/|[A-Za-z]:\/)/.test(path);
}

function expressionOf(pattern: string): RegExp {
  let expression = expressions.get(pattern);
  if (!expression) {
    const source = pattern.replace(/\*\*\/|\*\*|[*?{},]|[^\w\s/]/g, (token) => wildcards[token] ?? `\\${token}`);
    expression = new RegExp(`${isAbsolute(pattern) ? "^" : "(?:^|/)"}${source}$`);
    expressions.set(pattern, expression);
  }
  return expression;
}

const wildcards: Readonly<Record<string, string>> = {
  "**/": "(?:.*/)?",
  "**": ".*",
  "*": "[^/]*",
  "?": "[^/]",
  "{": "(?:",
  ",": "|",
  "}": ")",
};
