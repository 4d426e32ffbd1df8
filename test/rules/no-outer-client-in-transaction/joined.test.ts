import { noOuterClientInTransaction as rule } from "../../../rules/no-outer-client-in-transaction.js";
import { lintCases } from "../lint-cases.js";

lintCases("Projects whose statements join by themselves", rule, {
  "Sequelize with CLS": {
    "db.ts": `import { createNamespace } from "cls-hooked"; import { Sequelize } from "sequelize"; Sequelize.useCLS(createNamespace("x")); export const sequelize = new Sequelize("x");`,
    "main.ts": `import { Model } from "sequelize"; import { sequelize } from "./db.js"; class Order extends Model {}
export const place = () => sequelize.transaction(async () => { await Order.create({}); });`,
  },
  "Mongoose with AsyncLocalStorage": `import mongoose, { model, Schema } from "mongoose"; mongoose.set("transactionAsyncLocalStorage", true); const Order = model("Order", new Schema({}));
export const place = () => mongoose.connection.transaction(async () => { await Order.create([{}]); });`,
  "typeorm-transactional": `import { addTransactionalDataSource } from "typeorm-transactional"; import { DataSource } from "typeorm"; const dataSource = addTransactionalDataSource(new DataSource({} as never));
export const place = () => dataSource.transaction(async (manager) => { await manager.save({}); await dataSource.manager.save({}); });`,
});
