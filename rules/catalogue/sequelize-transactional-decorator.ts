import type { Library } from "./vocabulary.js";

export const sequelizeTransactionalDecorator: Library = {
  name: "sequelize-transactional-decorator",
  packages: ["sequelize-transactional-decorator"],
  decorators: [{ decorator: "@Transactional", outside: ["NEVER", "NOT_SUPPORTED"], unknown: "SUPPORTS" }],
};
