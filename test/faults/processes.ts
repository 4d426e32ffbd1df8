import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Report, Task } from "./shop-child.ts";

const script = join(import.meta.dirname, "shop-child.ts");
const living = new Set<Process>();
/** Where the children keep what they have compiled: most of their time goes into starting. */
const cache = mkdtempSync(join(tmpdir(), "aftercommit-faults-"));

/** How often a process was killed at each fail point, and from outside. */
export const kills = new Map<string, number>();

/** One process of the shop. Killed by its own number, never otherwise. */
export class Process {
  /** The orders whose `run` has returned. */
  readonly did: number[] = [];
  readonly errors: string[] = [];
  /** Resolves when it is gone. */
  readonly gone: Promise<void>;
  /** Resolves when it takes rows or jobs, or is gone. */
  readonly ready: Promise<void>;
  /** Resolves when it hangs at its fail point, or is gone. */
  readonly stuck: Promise<void>;
  readonly #child: ChildProcess;
  readonly #failPoint: string | undefined;
  #output = "";
  #killed = false;

  /** @param failPoint as `AFTERCOMMIT_FAIL_POINT` says it: "relay:after-send#2" */
  constructor(task: Task, failPoint?: string) {
    this.#failPoint = failPoint;
    this.#child = fork(script, [JSON.stringify(task)], {
      env: {
        ...process.env,
        NODE_ENV: "test",
        NODE_COMPILE_CACHE: cache,
        ...(failPoint === undefined ? {} : { AFTERCOMMIT_FAIL_POINT: failPoint }),
      },
      execArgv: ["--disable-warning=ExperimentalWarning"],
      stdio: ["ignore", "pipe", "pipe", "ipc"],
    });
    living.add(this);
    let isReady: () => void = () => undefined;
    let isStuck: () => void = () => undefined;
    this.ready = new Promise((resolve) => (isReady = resolve));
    this.stuck = new Promise((resolve) => (isStuck = resolve));
    const hear = (text: Buffer) => {
      this.#output += text.toString();
      if (this.hangs) isStuck();
    };
    this.#child.stdout?.on("data", hear);
    this.#child.stderr?.on("data", hear);
    this.#child.on("message", (report: Report) => {
      if ("did" in report) this.did.push(report.did);
      else if ("error" in report) this.errors.push(report.error);
      else isReady();
    });
    this.gone = once(this.#child, "exit").then(([code, signal]: unknown[]) => {
      living.delete(this);
      isReady();
      isStuck();
      if (signal === "SIGKILL") count(task.role, this.#killed ? "at any moment" : (failPoint ?? "by somebody else"));
      else if (code !== 0) this.errors.push(`ended with ${String(code ?? signal)}: ${this.#output}`);
    });
  }

  get isArmed(): boolean {
    return this.#failPoint !== undefined;
  }

  get isGone(): boolean {
    return !living.has(this);
  }

  /** Whether it was killed at its fail point. */
  get died(): boolean {
    return this.#failPoint !== undefined && this.isGone && this.#child.signalCode === "SIGKILL" && !this.#killed;
  }

  /** Whether it is at its fail point and goes no further. */
  get hangs(): boolean {
    return this.#output.includes("fail point ");
  }

  /** SIGKILL, for which no program can prepare. */
  async kill(): Promise<void> {
    if (!this.isGone) {
      this.#killed = true;
      this.#child.kill("SIGKILL");
    }
    await this.gone;
  }
}

/** Ends whatever a test has left. */
export async function killAll(): Promise<void> {
  await Promise.all([...living].map((process) => process.kill()));
  rmSync(cache, { recursive: true, force: true });
}

function count(role: Task["role"], at: string): void {
  const where = `${role} ${at.replace(/#.*/, "")}`;
  kills.set(where, (kills.get(where) ?? 0) + 1);
}
