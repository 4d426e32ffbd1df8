import type { Library } from "./vocabulary.js";

/** Routes are where HTTP queues deliver to. */
export const fastify: Library = {
  name: "Fastify",
  packages: ["fastify"],
  values: { FastifyInstance: ["default()", "fastify()"] },
  routes: [
    {
      member: ["FastifyInstance.post", "FastifyInstance.put", "FastifyInstance.all"],
      path: { argument: 0 },
      handler: "last",
    },
  ],
};
