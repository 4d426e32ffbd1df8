/** Runs one program of examples/ in a process of its own, and calls what it exports when it is told to. */
import { pathToFileURL } from "node:url";

export interface Call {
  readonly name: string;
  readonly argument: unknown;
}

// The parent is the only one who ends this process; without one, it has nothing to do.
process.on("disconnect", () => process.exit());
if (!process.connected) process.exit();

const [file = ""] = process.argv.slice(2);
const program = (await import(pathToFileURL(file).href)) as Record<
  string,
  ((argument: unknown) => unknown) | undefined
>;

process.on("message", ({ name, argument }: Call) => {
  void (async () => {
    try {
      await program[name]?.(argument);
      process.send?.("done");
    } catch (error) {
      process.send?.(`failed: ${String(error)}`);
    }
  })();
});
process.send?.("ready");
