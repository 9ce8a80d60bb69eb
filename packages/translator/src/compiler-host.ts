import { ts } from "ts-morph";

/** The folder of TypeScript's own libraries, which ts-morph provides. */
export const libraries = "/node_modules/typescript/lib";

/** A host that reads each file once. `texts`: contents that replace those on disk. */
export const newCompilerHost = (
  files: ts.ModuleResolutionHost,
  texts: ReadonlyMap<string, string>,
): ts.CompilerHost => {
  const opened = new Map<string, ts.SourceFile | undefined>();
  return {
    ...files,
    getCurrentDirectory: () => files.getCurrentDirectory?.() ?? "/",
    getDirectories: (path) =>
      files.getDirectories?.(path).filter((found) => files.directoryExists?.(found)) ?? [],
    getSourceFile(path, language) {
      const target = typeof language === "object" ? language.languageVersion : language;
      if (!opened.has(path)) {
        const text = texts.get(path) ?? (files.fileExists(path) ? files.readFile(path) : undefined);
        opened.set(path, text === undefined ? undefined : parse(path, text, target));
      }
      return opened.get(path);
    },
    getDefaultLibFileName: (options) => `${libraries}/${ts.getDefaultLibFileName(options)}`,
    getCanonicalFileName: (path) => path,
    useCaseSensitiveFileNames: () => true,
    getNewLine: () => "\n",
    writeFile: () => {},
  };
};

/** Parsed declaration files, by language version and path. */
const declarations = new Map<string, ts.SourceFile>();

/** Shared by all programs of this process, because parsing takes half of the time to open a program. */
const parse = (path: string, text: string, target: ts.ScriptTarget): ts.SourceFile => {
  const key = `${target} ${path}`;
  const known = declarations.get(key);
  if (known?.text === text) return known;
  // Like `tsc`: JSDoc is parsed only where it can cause errors.
  const jsDocParsingMode = ts.JSDocParsingMode.ParseForTypeErrors;
  const file = ts.createSourceFile(path, text, { languageVersion: target, jsDocParsingMode });
  if (file.isDeclarationFile) declarations.set(key, file);
  return file;
};
