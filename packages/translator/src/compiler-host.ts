import { ts } from "ts-morph";

/** The folder of TypeScript's own libraries, which ts-morph provides. */
export const libraries = "/node_modules/typescript/lib";

/**
 * A host that reads each file once. `texts`: contents that replace those on disk. `formats`: whether ES modules and CommonJS differ, as for
 * `tsc`; bundlers resolve imports in both alike.
 */
export const newCompilerHost = (
  files: ts.ModuleResolutionHost,
  texts: ReadonlyMap<string, string>,
  formats: boolean,
): ts.CompilerHost => {
  const opened = new Map<string, ts.SourceFile | undefined>();
  return {
    ...files,
    getCurrentDirectory: () => files.getCurrentDirectory?.() ?? "/",
    getDirectories: (path) =>
      files.getDirectories?.(path).filter((found) => files.directoryExists?.(found)) ?? [],
    getSourceFile(path, language) {
      const { languageVersion: target, impliedNodeFormat } =
        typeof language === "object" ? language : { languageVersion: language };
      const format = formats ? impliedNodeFormat : undefined;
      if (!opened.has(path)) {
        const text = texts.get(path) ?? (files.fileExists(path) ? files.readFile(path) : undefined);
        opened.set(path, text === undefined ? undefined : parse(path, text, target, format));
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

/** Parsed declaration files, by language version, module format and path. */
const declarations = new Map<string, ts.SourceFile>();

/** Shared by all programs of this process, because parsing takes half of the time to open a program. */
const parse = (
  path: string,
  text: string,
  languageVersion: ts.ScriptTarget,
  impliedNodeFormat: ts.ResolutionMode,
): ts.SourceFile => {
  const key = `${languageVersion} ${impliedNodeFormat} ${path}`;
  const known = declarations.get(key);
  if (known?.text === text) return known;
  // Like `tsc`: JSDoc is parsed only where it can cause errors.
  const jsDocParsingMode = ts.JSDocParsingMode.ParseForTypeErrors;
  const file = ts.createSourceFile(path, text, { languageVersion, impliedNodeFormat, jsDocParsingMode });
  if (file.isDeclarationFile) declarations.set(key, file);
  return file;
};
