import type { CommitAnswer, Connection, Database, Failure } from "../../src/databases/database.js";
import { causesOf } from "../../src/errors.js";

/** The handle of the fake: rows that a transaction inserts. */
export interface FakeHandle {
  insert(row: string): void;
}

/** A database in memory that does what it is told at COMMIT, and keeps savepoints as a real one does. */
export interface FakeDatabase extends Database<FakeHandle> {
  /** What is committed. */
  readonly rows: string[];
  /** What the next COMMITs do instead of committing, one each; `undefined` commits. */
  readonly commits: ((() => CommitAnswer) | undefined)[];
  /** Statements that were sent, in order. */
  readonly sent: string[];
  /** Connections that were not released. */
  inUse(): number;
}

/** An error that the fake takes for a deadlock. */
export class Deadlock extends Error {}

export function fakeDatabase(): FakeDatabase {
  const rows: string[] = [];
  const commits: ((() => CommitAnswer) | undefined)[] = [];
  const sent: string[] = [];
  let inUse = 0;

  function begin(): Connection<FakeHandle> {
    const frames: { name: string; rows: string[] }[] = [{ name: "", rows: [] }];
    const top = () => frames[frames.length - 1]?.rows ?? [];
    const say = (text: string) => {
      sent.push(text);
      return Promise.resolve();
    };
    const pop = (name: string) => {
      const frame = frames.pop();
      if (frame?.name !== name) throw new Error(`the savepoint ${name} is not the innermost one`);
      return frame.rows;
    };
    inUse += 1;
    void say("BEGIN");
    return {
      handle: { insert: (row) => top().push(row) },
      query: async (text) => {
        await say(text);
        return { rows: [], affectedRows: 0 };
      },
      savepoint: (name) => {
        frames.push({ name, rows: [] });
        return say("SAVEPOINT");
      },
      releaseSavepoint: (name) => {
        const released = pop(name);
        top().push(...released);
        return say("RELEASE");
      },
      rollbackToSavepoint: (name) => {
        pop(name);
        return say("ROLLBACK TO");
      },
      commit: async () => {
        await say("COMMIT");
        const answer = commits.shift()?.() ?? { outcome: "committed" };
        if (answer.outcome === "committed") rows.push(...top());
        return answer;
      },
      rollback: () => say("ROLLBACK"),
      release: () => {
        inUse -= 1;
      },
    };
  }

  return {
    dialect: "postgres",
    rows,
    commits,
    sent,
    inUse: () => inUse,
    query: () => Promise.reject(new Error("the fake has no statements outside of a transaction")),
    begin: () => Promise.resolve(begin()),
    failure: (error): Failure => ({
      kind: [...causesOf(error)].some((cause) => cause instanceof Deadlock) ? "retryable" : "other",
    }),
  };
}
