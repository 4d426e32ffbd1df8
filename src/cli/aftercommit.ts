#!/usr/bin/env node
import { run } from "./run.js";

const asked = new AbortController();
// A second signal ends the process as it does by default.
for (const signal of ["SIGTERM", "SIGINT"] as const) {
  process.once(signal, () => {
    asked.abort();
  });
}
const exitCode = await run(process.argv.slice(2), {
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
  folder: process.cwd(),
  signal: asked.signal,
});
// The project's pools and connections keep the process alive, and only the project knows them.
process.stdout.write("", () => process.exit(exitCode));
