import { ts } from "ts-morph";

/** The folder of TypeScript's own libraries, which ts-morph provides. */
export const libraries = "/node_modules/typescript/lib";

/**
 * Hosts that differ in the contents that replace those on disk, by path. Together they read each file once, and parse it again only if its
 * content differs. `formats`: whether ES modules and CommonJS differ, as for `tsc`; bundlers resolve imports in both alike.
 */
export const newCompilerHosts = (
  files: ts.ModuleResolutionHost,
  formats: boolean,
): ((texts: ReadonlyMap<string, string>) => ts.CompilerHost) => {
  const read = new Map<string, string | undefined>();
  const parsed: ParsedFiles = new Map();
  const textOf = (path: string): string | undefined => {
    if (!read.has(path)) read.set(path, files.fileExists(path) ? files.readFile(path) : undefined);
    return read.get(path);
  };
  return (texts) => ({
    ...files,
    getCurrentDirectory: () => files.getCurrentDirectory?.() ?? "/",
    getDirectories: (path) =>
      files.getDirectories?.(path).filter((found) => files.directoryExists?.(found)) ?? [],
    getSourceFile(path, language) {
      const { languageVersion: target, impliedNodeFormat } =
        typeof language === "object" ? language : { languageVersion: language };
      const text = texts.get(path) ?? textOf(path);
      const format = formats ? impliedNodeFormat : undefined;
      return text === undefined ? undefined : parse(path, text, target, format, parsed);
    },
    getDefaultLibFileName: (options) => `${libraries}/${ts.getDefaultLibFileName(options)}`,
    getCanonicalFileName: (path) => path,
    useCaseSensitiveFileNames: () => true,
    getNewLine: () => "\n",
    writeFile: () => {},
  });
};

/** Parsed files, by path, and all but TypeScript's own libraries also by language version and module format. */
type ParsedFiles = Map<string, ts.SourceFile>;

/** Declaration files, shared by all programs of this process, because parsing takes half of the time to open a program. */
const declarations: ParsedFiles = new Map();

const parse = (
  path: string,
  text: string,
  languageVersion: ts.ScriptTarget,
  impliedNodeFormat: ts.ResolutionMode,
  others: ParsedFiles,
): ts.SourceFile => {
  // TypeScript's own libraries have no imports, and their syntax is the same in all versions.
  const key = path.startsWith(`${libraries}/`) ? path : `${languageVersion} ${impliedNodeFormat} ${path}`;
  const known = declarations.get(key) ?? others.get(key);
  if (known?.text === text) return known;
  // Like `tsc`: JSDoc is parsed only where it can cause errors.
  const jsDocParsingMode = ts.JSDocParsingMode.ParseForTypeErrors;
  const file = ts.createSourceFile(path, text, { languageVersion, impliedNodeFormat, jsDocParsingMode });
  (file.isDeclarationFile ? declarations : others).set(key, file);
  return file;
};
