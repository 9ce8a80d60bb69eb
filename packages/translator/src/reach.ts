import { ts } from "ts-morph";
import type { Opened } from "./opened.ts";

/** Files on which the types of a file depend, apart from the default library and files loaded by compiler options. */
export interface Reached {
  /** TypeScript modules that affect only their importers, including the file itself. Absolute paths. */
  readonly modules: readonly string[];
  /** Other files that these modules import, whose declarations may be visible everywhere. Absolute paths. */
  readonly outside: readonly string[];
}

export interface Reach {
  /** Undefined if there is no such file. */
  readonly from: (file: string) => Reached | undefined;
}

export const newReach = (
  open: (file: string) => Opened | undefined,
  host: ts.ModuleResolutionHost,
): Reach => {
  const imports = new WeakMap<ts.SourceFile, readonly ts.SourceFile[]>();
  const importsOf = (file: ts.SourceFile, opened: Opened): readonly ts.SourceFile[] => {
    const known = imports.get(file) ?? findImports(file, opened, host);
    imports.set(file, known);
    return known;
  };
  const everywhere = new WeakMap<ts.Program, ReadonlySet<ts.SourceFile>>();
  const follow = (from: readonly ts.SourceFile[], opened: Opened): Followed => {
    const { program } = opened;
    const modules = new Set<ts.SourceFile>();
    const outside = new Set<ts.SourceFile>();
    const waiting = [...from];
    for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
      if (modules.has(file) || outside.has(file)) continue;
      if (!isClosedModule(file, program)) {
        outside.add(file);
        // Packages do not import the project.
        if (isOfPackage(file, program)) continue;
      } else modules.add(file);
      waiting.push(...importsOf(file, opened));
    }
    return { modules, outside };
  };
  /** Modules imported by files that are not closed modules. Their declarations may be visible everywhere, too. */
  const seenEverywhere = (opened: Opened): ReadonlySet<ts.SourceFile> => {
    const { program } = opened;
    const isOpen = (file: ts.SourceFile): boolean =>
      !isClosedModule(file, program) && !isOfPackage(file, program);
    const found = everywhere.get(program) ?? follow(program.getSourceFiles().filter(isOpen), opened).modules;
    everywhere.set(program, found);
    return found;
  };
  return {
    from(name) {
      const opened = open(name);
      if (opened === undefined) return undefined;
      const shared = seenEverywhere(opened);
      const found = follow([opened.file], opened);
      const isOwn = (file: ts.SourceFile): boolean => found.modules.has(file) && !shared.has(file);
      return {
        modules: pathsOf([...found.modules].filter(isOwn)),
        outside: pathsOf([...found.outside, ...[...found.modules].filter((file) => !isOwn(file))]),
      };
    },
  };
};

interface Followed {
  readonly modules: ReadonlySet<ts.SourceFile>;
  readonly outside: ReadonlySet<ts.SourceFile>;
}

const pathsOf = (files: readonly ts.SourceFile[]): readonly string[] =>
  files.map(({ fileName }) => fileName).toSorted();

/** Whether a file is a TypeScript module that declares nothing globally and loads files only by imports. */
const isClosedModule = (file: ts.SourceFile, program: ts.Program): boolean =>
  !isOfPackage(file, program) &&
  !file.isDeclarationFile &&
  /\.[cm]?tsx?$/.test(file.fileName) &&
  ts.isExternalModule(file) &&
  file.referencedFiles.length + file.typeReferenceDirectives.length + file.libReferenceDirectives.length ===
    0 &&
  !file.statements.some(isAugmentation);

const isAugmentation = (statement: ts.Statement): boolean =>
  ts.isModuleDeclaration(statement) &&
  (ts.isStringLiteral(statement.name) || (statement.flags & ts.NodeFlags.GlobalAugmentation) !== 0);

const isOfPackage = (file: ts.SourceFile, program: ts.Program): boolean =>
  program.isSourceFileDefaultLibrary(file) ||
  program.isSourceFileFromExternalLibrary(file) ||
  file.fileName.includes("/node_modules/");

const findImports = (
  file: ts.SourceFile,
  { program, checker }: Opened,
  host: ts.ModuleResolutionHost,
): readonly ts.SourceFile[] => {
  const files = new Set<ts.SourceFile>();
  const visit = (node: ts.Node): void => {
    const name = specifierOf(node);
    if (name !== undefined && ts.isStringLiteralLike(name)) {
      const declared = checker.getSymbolAtLocation(name)?.declarations ?? [];
      for (const one of declared) files.add(one.getSourceFile());
      // A file that is not a module has no symbol.
      const script = declared.length > 0 ? undefined : scriptOf(name, file);
      if (script !== undefined) files.add(script);
    }
    ts.forEachChild(node, visit);
  };
  const scriptOf = (name: ts.StringLiteralLike, from: ts.SourceFile): ts.SourceFile | undefined => {
    const options = program.getCompilerOptions();
    const mode = ts.getModeForUsageLocation(from, name, options);
    const { resolvedModule } = ts.resolveModuleName(
      name.text,
      from.fileName,
      options,
      host,
      undefined,
      undefined,
      mode,
    );
    return resolvedModule && program.getSourceFile(resolvedModule.resolvedFileName);
  };
  visit(file);
  return [...files];
};

/** The module name after `from` and the like. */
const specifierOf = (node: ts.Node): ts.Expression | undefined => {
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return node.moduleSpecifier;
  if (ts.isExternalModuleReference(node)) return node.expression;
  if (
    ts.isImportTypeNode(node) &&
    ts.isLiteralTypeNode(node.argument) &&
    ts.isStringLiteral(node.argument.literal)
  )
    return node.argument.literal;
  const isImport = ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword;
  // `import(name)` with a computed name loads nothing during type checking.
  const [argument] = isImport ? node.arguments : [];
  return argument !== undefined && ts.isStringLiteralLike(argument) ? argument : undefined;
};
