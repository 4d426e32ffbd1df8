import { noCheckThenInsert } from "../../../rules/no-check-then-insert.js";
import { casesOfFiles } from "../cases-of-files.js";

casesOfFiles("what the page says that the rule does not see", noCheckThenInsert, {
  "a read in another function": `
    import { PrismaClient } from "@prisma/client";
    const prisma = new PrismaClient();
    const byEmail = (email: string) => prisma.user.findUnique({ where: { email } });
    export async function ensure(email: string) {
      const user = await byEmail(email);
      if (!user) await prisma.user.create({ data: { email } });
    }
  `,
  "SQL in a tagged template": `
    import postgres from "postgres";
    const sql = postgres();
    export async function ensure(email: string) {
      const rows = await sql\`SELECT id FROM users WHERE email = \${email}\`;
      if (rows.length === 0) await sql\`INSERT INTO users (email) VALUES (\${email})\`;
    }
  `,
});
