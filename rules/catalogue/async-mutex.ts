import type { Library } from "./vocabulary.js";

const because = "it only holds in this process, and there may be another";

export const asyncMutex: Library = {
  name: "async-mutex",
  packages: ["async-mutex"],
  locks: [
    { member: ["Mutex.runExclusive", "MutexInterface.runExclusive"], callback: 0, because },
    { member: ["Mutex.acquire", "MutexInterface.acquire"], because },
  ],
};
