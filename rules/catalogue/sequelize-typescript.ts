import type { Library } from "./vocabulary.js";

/** Classes extend Sequelize's own, so that only the decorators are declared here. */
export const sequelizeTypescript: Library = {
  name: "sequelize-typescript",
  packages: ["sequelize-typescript"],
  hooks: [
    {
      methodDecorator: [
        "@BeforeCreate",
        "@AfterCreate",
        "@BeforeUpdate",
        "@AfterUpdate",
        "@BeforeSave",
        "@AfterSave",
        "@BeforeUpsert",
        "@AfterUpsert",
        "@BeforeDestroy",
        "@AfterDestroy",
        "@BeforeRestore",
        "@AfterRestore",
        "@BeforeBulkCreate",
        "@AfterBulkCreate",
        "@BeforeBulkUpdate",
        "@AfterBulkUpdate",
        "@BeforeBulkDestroy",
        "@AfterBulkDestroy",
        "@BeforeBulkRestore",
        "@AfterBulkRestore",
      ],
      onlyInCallersTransaction: true,
    },
  ],
};
