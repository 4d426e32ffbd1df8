import { Sequelize, type Transaction } from "sequelize";
import { sequelizeDatabase } from "../../../src/databases/sequelize.js";
import { onMysql, onPostgres, type Opened } from "./subject.js";

function opened(sequelize: Sequelize): Opened {
  const { pool } = sequelize.connectionManager as unknown as { pool: { using: number } };
  return {
    database: sequelizeDatabase(sequelize),
    on: async (handle, sql) => {
      await sequelize.query(sql, { transaction: handle as Transaction });
    },
    inUse: () => pool.using,
    close: () => sequelize.close(),
  };
}

export const sequelizeOnPostgres = onPostgres("sequelize on pg", ({ user, schema, max, ...server }) => {
  const dialectOptions = { options: `-c search_path=${schema}` };
  return opened(
    new Sequelize({ dialect: "postgres", username: user, ...server, dialectOptions, pool: { max }, logging: false }),
  );
});

export const sequelizeOnMysql = onMysql("sequelize on mysql2", ({ user, max, ...server }) =>
  opened(new Sequelize({ dialect: "mysql", username: user, ...server, pool: { max }, logging: false })),
);
