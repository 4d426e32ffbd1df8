import type { Library } from "./vocabulary.js";

/** Version 2: the framework's decorators over MikroORM. `@InjectManager` gives a manager without a transaction. */
export const medusa: Library = {
  name: "Medusa",
  packages: ["@medusajs/utils", "@medusajs/types", "@medusajs/framework"],
  transactions: [
    {
      open: [
        "BaseRepositoryService.transaction",
        "RepositoryService.transaction",
        "MikroOrmBase.transaction",
        "MikroOrmBaseRepository.transaction",
      ],
      callback: 0,
      handle: 0,
    },
    { open: "transactionWrapper", callback: 1, handle: 0 },
  ],
  decorators: [{ decorator: "@InjectTransactionManager" }],
};
