import type { Library } from "./vocabulary.js";

const because = "it runs out when its holder pauses or loses the connection, and a Redis that fails over forgets it";

export const redlock: Library = {
  name: "redlock",
  packages: ["redlock", "@types/redlock"],
  values: { Redlock: "default()" },
  locks: [
    { member: "Redlock.using", callback: "last", because },
    { member: "Redlock.acquire", because },
  ],
};
