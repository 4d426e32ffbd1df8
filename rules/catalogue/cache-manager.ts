import type { Library } from "./vocabulary.js";

export const cacheManager: Library = {
  name: "cache-manager",
  packages: ["cache-manager"],
  values: { Cache: "createCache()" },
  effects: [{ member: ["Cache.set", "Cache.mset", "Cache.del", "Cache.mdel", "Cache.clear"], kind: "cache" }],
};
