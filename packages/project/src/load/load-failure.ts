import { readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, sep } from "node:path";
import { optionSpan, parseSite, readOptionPlaces } from "@tritype/compiler";
import {
  attempt,
  type Diagnostic,
  didYouMean,
  type Label,
  type Site,
  type Span,
  notWritable,
  PipelineError,
  nearHelp,
} from "@tritype/core";
import { describeThrown } from "@tritype/node-host";
import type { BuildFailure, Message } from "esbuild";
import { type Imports, unsetImport } from "./import-cycles.ts";
import { configPlaces } from "../config-places.ts";
import { fromRoot } from "../node/finish-bundle.ts";
import { projectFile } from "../node-host.ts";
import { spanAt } from "../span-at.ts";
import { configNames } from "../find-project.ts";
import { mistake, ProjectError, sourceReader } from "../project-error.ts";

/** The context in which the user's code threw. */
interface Loading {
  readonly root: string;
  /** Absolute paths of the user's files. */
  readonly sources: readonly string[];
  readonly mapStack: (stack: string) => string;
  readonly imports: Imports;
}

/** Reports all files that do not parse and all unresolved imports together, or a full disk. */
export const bundleFailure = (root: string, failure: BuildFailure): PipelineError => {
  const messages = failure.errors ?? [];
  const unwritten = messages.map(({ text }) => /^Failed to write to output file: (.+)/.exec(text)?.[1]);
  const reason = unwritten.find((text) => text !== undefined);
  return reason === undefined
    ? new ProjectError(
        root,
        messages.map((message) => messageDiagnostic(root, message)),
        failure,
      )
    : notWritable(tmpdir(), new Error(reason), "make room there, or set TMPDIR to another folder");
};

/** A module that threw while it was loaded, or one that lacks an export that another module imports. */
export const importFailure = async (error: unknown, loading: Loading): Promise<ProjectError> =>
  new ProjectError(
    loading.root,
    [
      (await missingExport(error, loading)) ??
        invalidPattern(error, loading) ??
        unsetImport(error, placesOf(error, loading)[0], loading) ??
        thrownDiagnostic(error, loading),
    ],
    error,
  );

/** The position of an entry in the configuration; empty if the configuration does not list the entries one by one. */
const entryLabels = (root: string, index: number): readonly Label[] => {
  const read = sourceReader(root);
  const file = configNames.find((name) => read(name) !== undefined);
  const places = file === undefined ? undefined : configPlaces(read(file) ?? "", file);
  const place = places?.fields.get("entries")?.fields.get(String(index));
  return place === undefined ? [] : [{ span: place.span, text: "" }];
};

const filesOf = (folder: string): readonly string[] => attempt(() => readdirSync(folder)) ?? [];

/** An esbuild error in terms of the project. */
export const messageDiagnostic = (root: string, { text, location, notes }: Message): Diagnostic => {
  const missing = /^Could not resolve "([^"]+)"/.exec(text)?.[1];
  if (missing !== undefined && location?.file === "<stdin>") {
    const near = didYouMean(basename(missing), filesOf(join(root, dirname(missing))));
    return mistake(
      `${missing.replace(/^\.\//, "")} does not exist`,
      entryLabels(root, location.line - 1),
      near === undefined
        ? "name the files that export your ensembles in `entries` of pipeline.config.ts"
        : `did you mean \`${join(dirname(missing), near)}\`?`,
    );
  }
  const labels = location === null ? [] : [{ span: spanOf(location), text: "" }];
  const [, file, name] = /^No matching export in "([^"]+)" for import "([^"]+)"/.exec(text) ?? [];
  if (file !== undefined && name !== undefined)
    return mistake(`\`${file}\` has no export \`${name}\``, labels, exportHelp(notes));
  if (missing === undefined) return unreadable(text, location?.file ?? "", labels);
  if (/^[./]/.test(missing))
    return mistake(
      `the file "${missing}" does not exist`,
      labels,
      "check the path; it is relative to the importing file, and must name a file, not a folder",
    );
  return mistake(
    `the package "${missing}" is not installed`,
    labels,
    `npm install ${missing.split("/", missing.startsWith("@") ? 2 : 1).join("/")}; paths to your own files start with "./"`,
  );
};

/** esbuild names an export with a similar name. */
const exportHelp = (notes: Message["notes"]): string => {
  const [near] = notes.flatMap(({ text }) => /^Did you mean to import "([^"]+)"/.exec(text)?.[1] ?? []);
  return nearHelp(near) ?? "export it in that file, or correct the import";
};

/** A file that exists but cannot be imported. */
const unreadable = (text: string, file: string, labels: readonly Label[]): Diagnostic => {
  const ending = /^No loader is configured for "([^"]+)" files/.exec(text)?.[1];
  if (ending !== undefined)
    return mistake(
      `a ${ending} file cannot be imported`,
      labels,
      'import only TypeScript, JavaScript and JSON; refer to models by path, as in `file: "models/model.onnx"`, and read other files with `readFileSync`',
    );
  const bare = /^No loader is configured for "" files: (.+)/.exec(text)?.[1];
  if (bare !== undefined)
    return mistake(`${bare} has no known file extension`, labels, "import a .ts, .js or .json file");
  const isJson = file.endsWith(".json");
  return mistake(
    `syntax error: ${text}`,
    labels,
    isJson
      ? "correct the JSON: no comments, no trailing commas, names in double quotes"
      : "correct it there or just before; your editor marks the same position",
  );
};

/** esbuild counts columns in UTF-8 bytes. */
export const spanOf = ({ file, line, column, lineText }: NonNullable<Message["location"]>): Span => ({
  file: file.split(sep).join("/"),
  line,
  column: Buffer.from(lineText).subarray(0, column).toString("utf8").length + 1,
});

/** The positions in the user's code on the thrown value's stack, innermost first. */
const placesOf = (error: unknown, { root, mapStack }: Loading): Site =>
  parseSite(error instanceof Error ? mapStack(error.stack ?? "") : "", projectFile(root));

const thrownDiagnostic = (error: unknown, loading: Loading): Diagnostic => {
  const labels = placesOf(error, loading).map((span, index) => ({
    span: index === 0 && PipelineError.is(error) ? optionOf(error, span, loading.root) : span,
    text: index > 0 ? "called from here" : PipelineError.is(error) ? "" : "thrown here",
  }));
  return PipelineError.is(error)
    ? { ...mistake(error.message, labels, error.help), code: error.reason }
    : mistake(`your code threw ${describeThrown(error)}`, labels);
};

/** The position of the option that an error names, or of the innermost option around it that is written there. */
const optionOf = ({ option = [] }: PipelineError, call: Span, root: string): Span =>
  optionSpan(readOptionPlaces(sourceReader(root)(call.file) ?? "", call), option) ?? call;

/** Node's own message for `import { absent } from "package"` contains our bundle and the package's URL. */
const missingExport = async (error: unknown, { root, sources }: Loading): Promise<Diagnostic | undefined> => {
  const words = error instanceof SyntaxError ? error.message : "";
  const [, url, name] = /^The requested module '([^']+)' .*export named '([^']+)'/.exec(words) ?? [];
  if (url === undefined || name === undefined) return undefined;
  const found = sources.map((path) => findImport(root, path, name)).find((place) => place !== undefined);
  if (found === undefined) return undefined;
  const exported = Object.keys((await import(url)) as object);
  const near = didYouMean(name, exported);
  return mistake(
    `\`${found.from}\` has no export \`${name}\``,
    [{ span: found.span, text: "" }],
    nearHelp(near) ?? "check its documentation, and that its version has this export",
  );
};

/** V8 reports an invalid literal when it parses the bundle, with its text but without a position. */
const invalidPattern = (error: unknown, loading: Loading): Diagnostic | undefined => {
  const words = error instanceof SyntaxError ? error.message : "";
  const [, literal, problem] = /^Invalid regular expression: (\/.*\/[a-z]*): (.+)$/s.exec(words) ?? [];
  if (literal === undefined || placesOf(error, loading).length > 0) return undefined;
  for (const path of loading.sources) {
    const text = readFileSync(path, "utf8");
    const at = text.indexOf(literal);
    if (at >= 0)
      return mistake(
        `invalid regular expression: ${problem}`,
        [{ span: spanAt(text, at, fromRoot(loading.root, path)), text: "" }],
        "correct it; a backslash before a character makes it stand for itself",
      );
  }
  return undefined;
};

const findImport = (
  root: string,
  path: string,
  name: string,
): { readonly from: string; readonly span: Span } | undefined => {
  const text = readFileSync(path, "utf8");
  for (const match of text.matchAll(/(?:import|export)\s[^;"']*\{([^}]*)\}\s*from\s*["']([^"']+)["']/g)) {
    const at = new RegExp(`(?<![\\w$])${name.replaceAll("$", "\\$")}(?![\\w$])`).exec(match[0])?.index;
    if (at === undefined) continue;
    return { from: match[2] ?? "", span: spanAt(text, match.index + at, fromRoot(root, path)) };
  }
  return undefined;
};
