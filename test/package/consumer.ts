import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";

const execute = promisify(execFile);
const root = join(import.meta.dirname, "../..");

export type PackageManager = "npm" | "pnpm";

export interface Run {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A user's project in a folder outside the repository. */
export interface Consumer {
  readonly folder: string;
  /** Runs a program of an installed package (its `bin` given as a path below node_modules), or inline code with `-e`. */
  node(...args: string[]): Promise<Run>;
}

/** The versions this repository itself is developed with: `eslint`, and other versions of it under aliases. */
export async function ownVersions(): Promise<Readonly<Record<string, string>>> {
  const { devDependencies } = JSON.parse(await readFile(join(root, "package.json"), "utf8")) as {
    devDependencies: Record<string, string>;
  };
  return devDependencies;
}

/** Packs a package of this repository as it was built; resolves to the path of the tarball. */
export async function pack(packageFolder: "." | "rules", into: string): Promise<string> {
  const { stdout } = await run(
    "npm",
    ["pack", "--ignore-scripts", "--json", "--pack-destination", into],
    join(root, packageFolder),
  );
  const answer = JSON.parse(stdout) as { filename: string }[] | Record<string, { filename: string }>;
  const [packed] = Object.values(answer);
  if (packed === undefined) throw new Error(`npm pack said nothing: ${stdout}`);
  return join(into, packed.filename);
}

export async function createConsumer(
  folder: string,
  manager: PackageManager,
  devDependencies: Readonly<Record<string, string>>,
  files: Readonly<Record<string, string>>,
): Promise<Consumer> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "package.json"), JSON.stringify({ name: "consumer", private: true, devDependencies }));
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);

  const { code, stdout, stderr } =
    manager === "npm"
      ? await run("npm", ["install", "--no-audit", "--no-fund"], folder)
      : await run(
          "node",
          [join(root, "node_modules/pnpm/bin/pnpm.cjs"), "install", "--store-dir", join(dirname(folder), "pnpm-store")],
          folder,
        );
  if (code !== 0) throw new Error(`${manager} install failed:\n${stdout}\n${stderr}`);

  return { folder, node: (...args) => run("node", args, folder) };
}

/** Runs on the machine's own Node, not on the one that our npm scripts put in front of it. */
async function run(command: "node" | "npm", args: readonly string[], cwd: string): Promise<Run> {
  const path = (process.env["PATH"] ?? "").split(delimiter).filter((folder) => !folder.includes("node_modules"));
  const program = path.map((folder) => join(folder, command)).find((candidate) => existsSync(candidate)) ?? command;
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(npm_|NODE|VITEST)/i.test(name)));
  try {
    const { stdout, stderr } = await execute(program, args, {
      cwd,
      env: { ...env, PATH: path.join(delimiter) },
      maxBuffer: 2 ** 26,
    });
    return { code: 0, stdout, stderr };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: unknown; stdout?: string; stderr?: string };
    if (typeof code !== "number") throw error;
    return { code, stdout: stdout ?? "", stderr: stderr ?? "" };
  }
}
