import type { Dialect } from "../databases/database.js";
import { ConfigurationError } from "../errors.js";

/** What a column's type is in a schema of Prisma, by the beginning of its declaration. */
const types: Readonly<Record<Dialect, readonly (readonly [declaration: RegExp, type: string])[]>> = {
  postgres: [
    [/^varchar\((\d+)\)/, "String @db.VarChar($1)"],
    [/^char\((\d+)\)/, "String @db.Char($1)"],
    [/^text/, "String"],
    [/^uuid/, "String @db.Uuid"],
    [/^timestamptz/, "DateTime @db.Timestamptz(6)"],
    [/^double precision/, "Float"],
    [/^bigint/, "BigInt"],
    [/^smallint/, "Int @db.SmallInt"],
    [/^integer/, "Int"],
  ],
  mysql: [
    [/^varchar\((\d+)\)/, "String @db.VarChar($1)"],
    [/^char\((\d+)\)/, "String @db.Char($1)"],
    [/^longtext/, "String @db.LongText"],
    [/^text/, "String @db.Text"],
    [/^datetime\((\d)\)/, "DateTime @db.DateTime($1)"],
    [/^double/, "Float"],
    [/^bigint/, "BigInt"],
    [/^smallint/, "Int @db.SmallInt"],
    [/^int/, "Int"],
  ],
  sqlite: [
    [/^text/i, "String"],
    [/^real/i, "Float"],
    [/^integer/i, "Int"],
  ],
};

const providers: Readonly<Record<Dialect, string>> = { postgres: "postgresql", mysql: "mysql", sqlite: "sqlite" };

/**
 * The tables as models for `schema.prisma`, so that Prisma does not take them for drift. What a schema cannot say
 * (collations, indexes with a condition) stands in the SQL alone.
 *
 * @param ddl text that this package has written
 * @throws ConfigurationError for a table with a schema in front
 */
export function prismaModels(dialect: Dialect, ddl: string): string {
  const tables = [
    ...ddl.matchAll(/^CREATE (?:UNLOGGED )?TABLE (\S+) \(\n(.*?)\n\)[^;]*;\n((?:CREATE INDEX [^;]*;\n)*)/gms),
  ];
  const models = tables.map(([, table = "", body = "", indexes = ""]) => modelOf(dialect, table, body, indexes));
  return `// For schema.prisma with the provider "${providers[dialect]}". The tables themselves:
//   npx prisma migrate dev --create-only --name aftercommit
// and put what \`npx aftercommit ddl --dialect ${dialect}\` prints, with the same options, into its migration.sql instead.
${models.join("")}`;
}

function modelOf(dialect: Dialect, table: string, body: string, indexes: string): string {
  if (table.includes(".")) {
    throw new ConfigurationError(
      `Give the name of "${table}" without its schema: a schema of Prisma says \`@@schema\` in its own way.`,
    );
  }
  const fields: string[] = [];
  const attributes: string[] = [];
  for (const line of body.split("\n").map((text) => text.trim().replace(/,$/, ""))) {
    const key = /^(PRIMARY KEY|UNIQUE KEY|KEY|INDEX) ?(\w*) ?\((.*)\)$/.exec(line);
    if (key === null) fields.push(fieldOf(dialect, line));
    else if (key[1] === "PRIMARY KEY") attributes.push(`@@id([${key[3] ?? ""}])`);
    else
      attributes.push(`@@${key[1] === "UNIQUE KEY" ? "unique" : "index"}([${key[3] ?? ""}], map: "${key[2] ?? ""}")`);
  }
  // One with a condition is no index for Prisma.
  for (const [, name = "", columns = ""] of indexes.matchAll(/^CREATE INDEX (\w+) ON \S+ \(([^)]*)\);$/gm)) {
    attributes.push(`@@index([${columns}], map: "${name}")`);
  }
  attributes.push(`@@map("${table}")`);
  const name = table.replace(/(?:^|_)([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
  const lines = [...fields, "", ...attributes].map((line) => (line === "" ? "" : `  ${line}`));
  return `
model ${name} {
${lines.join("\n")}
}
`;
}

function fieldOf(dialect: Dialect, line: string): string {
  const [, name = "", declaration = ""] = /^(\w+) (.+)$/.exec(line) ?? [];
  for (const [pattern, type] of types[dialect]) {
    const found = pattern.exec(declaration);
    if (found === null) continue;
    const [base = "", native] = type.replace("$1", found[1] ?? "").split(" ");
    const isKey = declaration.includes("PRIMARY KEY");
    const parts = [
      `${base}${isKey || / NOT NULL|GENERATED ALWAYS/.test(declaration) ? "" : "?"}`,
      ...(isKey ? ["@id"] : []),
      ...(/ UNIQUE/.test(declaration) ? ["@unique"] : []),
      ...defaultOf(declaration),
      ...(native === undefined ? [] : [native]),
    ];
    return `${name} ${parts.join(" ")}`;
  }
  throw new Error(`no type of Prisma is known for ${line}`);
}

function defaultOf(declaration: string): string[] {
  if (/GENERATED ALWAYS AS IDENTITY|AUTO_?INCREMENT/.test(declaration)) return ["@default(autoincrement())"];
  const value = / DEFAULT (.+?)(?: COMMENT .*)?$/.exec(declaration)?.[1];
  if (value === undefined) return [];
  return [/^\d+$/.test(value) ? `@default(${value})` : `@default(dbgenerated(${JSON.stringify(value)}))`];
}
