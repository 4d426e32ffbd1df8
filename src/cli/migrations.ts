/** The statements that make tables, as a migration of the library that a project has. */

/** Of DDL text as this package writes it: no text in it has a semicolon at the end of a line. */
function statementsOf(ddl: string): string[] {
  return ddl
    .split(/;\n/)
    .map((statement) => statement.trim())
    .filter((statement) => statement !== "");
}

/** The names of the tables that the text makes. */
function tablesIn(ddl: string): string[] {
  return [...ddl.matchAll(/^CREATE (?:UNLOGGED )?TABLE (\S+)/gm)].map(([, name = ""]) => name);
}

function literal(sql: string): string {
  return `\`${sql.replace(/[\\`]|\$\{/g, "\\$&")}\``;
}

function calls(method: string, statements: readonly string[]): string {
  return statements.map((sql) => `  await ${method}(${literal(sql)});\n`).join("");
}

function drops(ddl: string): string[] {
  return tablesIn(ddl)
    .reverse()
    .map((table) => `DROP TABLE ${table}`);
}

/** A file for `knex migrate:latest`. */
export function knexMigration(ddl: string): string {
  return `// The file of a migration, as \`npx knex migrate:make aftercommit\` names it. In CommonJS: exports.up = async (knex) => …
export async function up(knex) {
${calls("knex.raw", statementsOf(ddl))}}

export async function down(knex) {
${calls("knex.raw", drops(ddl))}}
`;
}

/** A class for the \`migrations\` of a DataSource. Its name ends with the time, by which TypeORM orders. */
export function typeormMigration(ddl: string, now: number = Date.now()): string {
  const indented = (text: string) => text.replace(/^ {2}await/gm, "    await");
  return `// src/migrations/${now}-aftercommit.ts
import type { MigrationInterface, QueryRunner } from "typeorm";

export class Aftercommit${now} implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
${indented(calls("queryRunner.query", statementsOf(ddl)))}  }

  async down(queryRunner: QueryRunner): Promise<void> {
${indented(calls("queryRunner.query", drops(ddl)))}  }
}
`;
}

/** A file for \`drizzle-kit migrate\`, and for \`migrate\` of drizzle-orm. */
export function drizzleMigration(ddl: string): string {
  const tables = tablesIn(ddl).map((table) => `"!${table.slice(table.lastIndexOf(".") + 1)}"`);
  return `-- The content of the file that \`npx drizzle-kit generate --custom --name=aftercommit\` makes.
-- In drizzle.config, so that \`push\` and \`pull\` leave the tables alone: tablesFilter: [${tables.join(", ")}]
${statementsOf(ddl).join(";\n--> statement-breakpoint\n")};
`;
}
