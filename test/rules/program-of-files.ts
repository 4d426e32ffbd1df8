import { readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";

export const fixtures = join(import.meta.dirname, "fixtures");

/** The libraries of the fixtures are read once a process, for all programs. */
const libraries = new Map<string, ts.SourceFile | undefined>();

const config = ts.readConfigFile(join(fixtures, "tsconfig.json"), (path) => readFileSync(path, "utf8")) as {
  config: { compilerOptions: object };
};

/** A program of files that seem to stand in a folder, among the libraries of the fixtures; nothing is written there. */
export function programOfFiles(texts: ReadonlyMap<string, string>, folder: string): ts.Program {
  const { options } = ts.convertCompilerOptionsFromJson(
    { ...config.config.compilerOptions, paths: { "@cases/*": [`${folder}/*`] }, allowJs: true },
    fixtures,
  );
  const host = ts.createCompilerHost(options, true);
  const parse = (path: string, text: string | undefined, version: ts.ScriptTarget | ts.CreateSourceFileOptions) =>
    text === undefined ? undefined : ts.createSourceFile(path, text, version, true);
  host.fileExists = (path) => texts.has(path) || ts.sys.fileExists(path);
  host.readFile = (path) => texts.get(path) ?? ts.sys.readFile(path);
  host.directoryExists = (path) => path.startsWith(folder) || ts.sys.directoryExists(path);
  host.getSourceFile = (path, version) => {
    if (texts.has(path)) return parse(path, texts.get(path), version);
    if (!libraries.has(path)) libraries.set(path, parse(path, ts.sys.readFile(path), version));
    return libraries.get(path);
  };
  return ts.createProgram({ rootNames: [...texts.keys()], options, host });
}
