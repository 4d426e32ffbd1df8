import type { Library } from "./vocabulary.js";

/** Routes are where HTTP queues deliver to. */
export const express: Library = {
  name: "Express",
  packages: ["express", "@types/express", "@types/express-serve-static-core"],
  values: { Application: ["default()", "express()"], Router: ["Router()", "default.Router()", "express.Router()"] },
  routes: [
    {
      member: ["post", "put", "all"].flatMap((verb) => [
        `Application.${verb}`,
        `Express.${verb}`,
        `IRouter.${verb}`,
        `Router.${verb}`,
        `express.${verb}`,
      ]),
      path: { argument: 0 },
      handler: "last",
    },
  ],
};
