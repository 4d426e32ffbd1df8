import type { Library } from "./vocabulary.js";

/** Routes are where HTTP queues deliver to. */
export const hono: Library = {
  name: "Hono",
  packages: ["hono"],
  routes: [
    {
      member: ["Hono.post", "Hono.put", "Hono.all", "HonoBase.post", "HonoBase.put", "HonoBase.all"],
      path: { argument: 0 },
      handler: "last",
    },
  ],
};
