import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { Call } from "./child.ts";

const runner = join(import.meta.dirname, "child.ts");

/** One process of a program, from its start until it is killed. */
export class Child {
  readonly #process: ChildProcess;
  readonly #ready: Promise<void>;
  readonly #ended: Promise<unknown>;
  #errors = "";

  constructor(file: string, env: Readonly<Record<string, string>>) {
    this.#process = fork(runner, [file], {
      env: { ...process.env, ...env },
      stdio: ["ignore", "ignore", "pipe", "ipc"],
    });
    this.#process.stderr?.on("data", (text: Buffer) => (this.#errors += text.toString()));
    this.#ended = once(this.#process, "exit");
    this.#ready = this.#answer().then((answer) => {
      if (answer !== "ready") throw new Error(`${file} does not start: ${this.#errors}`);
    });
    // Whoever calls it is told.
    this.#ready.catch(() => undefined);
  }

  get errors(): string {
    return this.#errors;
  }

  /** Calls an exported function. @returns whether it returned; it also ends when the process is killed in it */
  async call(call: Call): Promise<boolean> {
    await this.#ready;
    // When it was killed meanwhile, its end is the answer.
    this.#process.send(call, () => undefined);
    return (await this.#answer()) === "done";
  }

  /** SIGKILL, which no program can prepare for. Resolves when the process is gone. */
  async kill(): Promise<void> {
    if (this.#process.exitCode === null && this.#process.signalCode === null) this.#process.kill("SIGKILL");
    await this.#ended;
  }

  async #answer(): Promise<unknown> {
    const waiting = new AbortController();
    const { signal } = waiting;
    try {
      return await Promise.race([
        once(this.#process, "message", { signal }).then(([answer]: unknown[]) => answer),
        this.#ended.then(() => "killed"),
      ]);
    } finally {
      waiting.abort();
    }
  }
}
