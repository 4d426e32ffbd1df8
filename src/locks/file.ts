import { createHash, randomUUID } from "node:crypto";
import { mkdir, open, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { LockEntry, LockStore } from "./lock-store.js";

export interface FileLocksOptions {
  /** A folder of its own, on a disk of this machine. Made when it is not there. */
  readonly folder: string;
}

interface Stored {
  readonly key: string;
  readonly value: string;
  /** In milliseconds since 1970, by this machine's clock. */
  readonly expiresAt: number;
}

/** A gate that is older was left behind by a process that died. Reading and writing one small file takes less. */
const gateLivesMs = 10_000;

/**
 * Locks in files, for several processes of one machine. Not on a network file system: there, "create only if it is not
 * there" may not be what it says.
 */
export function fileLocks({ folder }: FileLocksOptions): LockStore {
  const pathOf = (key: string) => join(folder, createHash("sha256").update(key).digest("hex").slice(0, 40));

  /** Lets one process at a time look at a key's file and change it. */
  async function alone<T>(path: string, work: () => Promise<T>): Promise<T> {
    const gate = `${path}.gate`;
    for (let waitMs = 1; ; waitMs = Math.min(waitMs * 2, 20)) {
      try {
        await (await open(gate, "wx")).close();
        break;
      } catch (error) {
        if (codeOf(error) === "ENOENT") await mkdir(folder, { recursive: true });
        else if (codeOf(error) !== "EEXIST") throw error;
        else await removeIfOld(gate);
      }
      await sleep(waitMs * (0.5 + Math.random() / 2));
    }
    try {
      return await work();
    } finally {
      await rm(gate, { force: true });
    }
  }

  return {
    library: "file",

    read: (key) => live(pathOf(key)),

    compareAndSet(key, { from, to, ttl }) {
      const path = pathOf(key);
      return alone(path, async () => {
        const current = await live(path);
        if (current?.value !== from) return { changed: false, current };
        if (to === undefined) {
          await rm(path, { force: true });
        } else {
          const stored: Stored = { key, value: to, expiresAt: Date.now() + ttl * 1000 };
          // Whoever reads sees the old value or the new one, never half of it.
          const draft = `${path}.${randomUUID()}`;
          await writeFile(draft, JSON.stringify(stored));
          await rename(draft, path);
        }
        return { changed: true };
      });
    },
  };
}

async function live(path: string): Promise<LockEntry | undefined> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
  const { value, expiresAt } = JSON.parse(text) as Stored;
  const remainingMs = expiresAt - Date.now();
  return remainingMs > 0 ? { value, remaining: remainingMs / 1000 } : undefined;
}

async function removeIfOld(gate: string): Promise<void> {
  try {
    const { mtimeMs } = await stat(gate);
    if (Date.now() - mtimeMs < gateLivesMs) return;
    // Two that find it old: only one of them can move it away.
    const away = `${gate}.${randomUUID()}`;
    await rename(gate, away);
    await rm(away, { force: true });
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw error;
  }
}

function codeOf(error: unknown): unknown {
  return typeof error === "object" && error !== null && "code" in error ? error.code : undefined;
}
