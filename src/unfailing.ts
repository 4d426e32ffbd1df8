/** A callback of the user that cannot break what calls it: what it throws becomes a warning of the process. */
export function unfailing<Arguments extends readonly unknown[]>(
  callback: (...args: Arguments) => unknown,
): (...args: Arguments) => void {
  const run = async (args: Arguments) => {
    await callback(...args);
  };
  return (...args) => {
    run(args).catch(warn);
  };
}

/** Makes a warning of the process of an error. */
export function warn(error: unknown): void {
  process.emitWarning(error instanceof Error ? error : String(error));
}
