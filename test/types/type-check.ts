import { fileURLToPath } from "node:url";
import ts from "typescript";

const root = fileURLToPath(new URL("../../", import.meta.url));
const base = ts.readConfigFile(`${root}tsconfig.base.json`, ts.sys.readFile) as {
  config: { compilerOptions: Readonly<Record<string, unknown>> };
};

/**
 * The compiler options of a user's project: the workspace's strictness, one declaration file per source, no
 * isolatedDeclarations.
 */
export const options: ts.CompilerOptions = {
  ...ts.convertCompilerOptionsFromJson(
    {
      ...base.config.compilerOptions,
      rootDir: ".",
      outDir: "out",
      tsBuildInfoFile: undefined,
      composite: false,
      customConditions: [],
      declarationMap: false,
      sourceMap: false,
      isolatedDeclarations: false,
      declaration: true,
      types: [],
    },
    root,
  ).options,
  // Otherwise the order of a union in a message depends on which file is checked first.
  stableTypeOrdering: true,
  // The path of test/tsconfig.json, so that `types` are found from there.
  configFilePath: `${root}test/tsconfig.json`,
};

/** The absolute path of a path relative to the workspace's root, as TypeScript writes it. */
export const pathOf = (path: string): string => `${root}${path}`;

const sources = new Map<string, ts.SourceFile | undefined>();
const disk = ts.createCompilerHost(options, true);

/**
 * The workspace's files overlaid with `texts` (path from the root → text); files on disk are read and parsed once per
 * process.
 */
const hostOver = (texts: Readonly<Record<string, string>>): ts.CompilerHost => {
  const overlay = new Map(Object.entries(texts).map(([path, text]) => [pathOf(path), text]));
  return {
    ...disk,
    getCurrentDirectory: () => root.slice(0, -1),
    fileExists: (name) => overlay.has(name) || disk.fileExists(name),
    readFile: (name) => overlay.get(name) ?? disk.readFile(name),
    getSourceFile(name, languageVersionOrOptions) {
      const text = overlay.get(name);
      if (text !== undefined) return ts.createSourceFile(name, text, languageVersionOrOptions, true);
      if (!sources.has(name)) sources.set(name, disk.getSourceFile(name, languageVersionOrOptions));
      return sources.get(name);
    },
  };
};

/** A program of the files at `paths` (from the root); `texts` replaces files that are not on disk. */
export const programOf = (
  paths: readonly string[],
  texts: Readonly<Record<string, string>> = {},
  more: ts.CompilerOptions = {},
): ts.Program =>
  ts.createProgram(
    [...new Set([...paths, ...Object.keys(texts)])].map(pathOf),
    { ...options, ...more },
    hostOver(texts),
  );

export const sourceOf = (program: ts.Program, path: string): ts.SourceFile => {
  const source = program.getSourceFile(pathOf(path));
  if (source === undefined) throw new Error(`${path} is not in the program`);
  return source;
};

/** All of TypeScript's diagnostics for one file. */
export const diagnosticsOf = (program: ts.Program, path: string): readonly ts.Diagnostic[] => {
  const source = sourceOf(program, path);
  return [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)];
};

export const messageOf = (diagnostic: ts.Diagnostic): string =>
  ts.flattenDiagnosticMessageText(diagnostic.messageText, "\n");
