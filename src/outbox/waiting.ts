import type { Seconds } from "../duration.js";

/** Lets a loop wait, for a time or until somebody rings. */
export class Bell {
  #rung = false;
  #ended = false;
  readonly #sleepers = new Set<(because: "rung" | "ended") => void>();

  /** Ends `wait` now, or the next one at once. */
  ring(): void {
    this.#rung = true;
    for (const wake of this.#sleepers) wake("rung");
  }

  /** Ends every wait, now and later. */
  end(): void {
    this.#ended = true;
    for (const wake of this.#sleepers) wake("ended");
  }

  /** Waits until it rings, at most so long. */
  async wait(atMost: Seconds): Promise<void> {
    if (!this.#rung && !this.#ended) await this.#sleep(atMost, true);
    this.#rung = false;
  }

  /** Waits so long, whoever rings. */
  async silence(time: Seconds): Promise<void> {
    if (!this.#ended) await this.#sleep(time, false);
  }

  #sleep(time: Seconds, hears: boolean): Promise<void> {
    return new Promise((resolve) => {
      const awake = () => {
        clearTimeout(timer);
        this.#sleepers.delete(wake);
        resolve();
      };
      const wake = (because: "rung" | "ended") => {
        if (hears || because === "ended") awake();
      };
      const timer = setTimeout(awake, time * 1000);
      this.#sleepers.add(wake);
    });
  }
}

/** Lets so many run at once; the others wait in line. */
export class Slots {
  #free: number;
  readonly #line: (() => void)[] = [];

  constructor(count: number) {
    this.#free = count;
  }

  async use<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => this.#line.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.#line.shift();
      if (next === undefined) this.#free += 1;
      else next();
    }
  }
}
