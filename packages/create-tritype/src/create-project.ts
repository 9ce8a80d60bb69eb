import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { guessHelp, inBackticks, notWritable, parseObject } from "@tritype/core";
import { mergeManifest, type Manifest, newManifest } from "./manifest.ts";
import { type PackageManager, packageManagers } from "./package-manager.ts";
import { type Template, templates } from "./templates.ts";
import { createError } from "./errors.ts";

export interface CreateProjectOptions {
  /** Path of the folder; created if missing. */
  readonly folder: string;
  /** Name of a template. */
  readonly template: string;
  /** The package manager whose commands the README shows. */
  readonly packageManager: PackageManager;
}

/** The created project. */
export interface NewProject {
  /** Absolute path. */
  readonly folder: string;
  readonly template: Template;
  /** The files written, relative to the folder, in order. */
  readonly files: readonly string[];
}

/**
 * Writes a template into a folder, either completely or not at all. An existing `package.json` and `.gitignore` get the
 * missing entries, an existing README or `.gitattributes` is kept; nothing else is overwritten.
 * @throws PipelineError `usage/invalid` for an unknown template, `file/foreign` if files would be overwritten,
 * `file/not-writable`
 */
export const createProject = (options: CreateProjectOptions): NewProject => {
  const template = templateOf(options.template);
  const folder = resolve(options.folder);
  const files = new Map<string, Uint8Array | string>();
  for (const source of ["common", template.name])
    for (const path of filesBelow(join(sources, source)))
      files.set(targetOf(path), readFileSync(join(sources, source, path)));
  const name = packageName(folder);
  files.set("README.md", fillIn(String(files.get("README.md")), name, options.packageManager));
  files.set("package.json", "");
  try {
    refuseForeign(folder, [...files.keys()]);
    files.set("package.json", manifestText(folder, newManifest(name, template)));
    keepOwn(folder, files);
    writeTogether(folder, files);
  } catch (error) {
    throw notWritable(folder, error, "check the folder's permissions and the free space");
  }
  return { folder, template, files: [...files.keys()].toSorted() };
};

/** Staged inside the folder and then renamed, so that a full disk leaves existing files intact. */
const writeTogether = (folder: string, files: ReadonlyMap<string, Uint8Array | string>): void => {
  mkdirSync(folder, { recursive: true });
  const staging = mkdtempSync(join(folder, ".new-project-"));
  try {
    for (const [path, content] of files) {
      mkdirSync(dirname(join(staging, path)), { recursive: true });
      writeFileSync(join(staging, path), content);
    }
    for (const path of files.keys()) mkdirSync(dirname(join(folder, path)), { recursive: true });
    for (const path of files.keys()) renameSync(join(staging, path), join(folder, path));
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
};

const sources = fileURLToPath(new URL("../templates", import.meta.url));

const templateOf = (name: string): Template => {
  const found = templates.find((template) => template.name === name);
  if (found !== undefined) return found;
  const names = templates.map((template) => template.name);
  throw createError(
    "create/unknown-template",
    { name },
    {
      help: guessHelp(name, names, `use ${inBackticks(names, " or ")}`),
    },
  );
};

/** Paths with "/", sorted. */
const filesBelow = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join("/"))
    .toSorted();

/** npm leaves `.gitignore` out of packages, and git would apply `.gitattributes` here. */
const targetOf = (path: string): string => path.replace(/^_/, ".");

const packageName = (folder: string): string =>
  basename(folder)
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]+/g, "-")
    .replaceAll(/^-+|-+$/g, "") || "pipeline";

const fillIn = (text: string, name: string, manager: PackageManager): string => {
  const words: Readonly<Record<string, string>> = { name, ...packageManagers[manager] };
  return text
    .replaceAll(/\{\{(\w+)\}\}/g, (_, word: string) => words[word] ?? "")
    .replaceAll(/(?<=```sh\n)[\s\S]*?(?=```)/g, alignComments);
};

const alignComments = (lines: string): string => {
  const parts = lines.split("\n").map((line) => line.split(/ +(?=# )/));
  const width = Math.max(
    ...parts.map(([command = "", comment]) => (comment === undefined ? 0 : command.length)),
  );
  return parts
    .map(([command = "", comment]) =>
      comment === undefined ? command : `${command.padEnd(width)}  ${comment}`,
    )
    .join("\n");
};

/** Files that may already exist. */
const shared = new Set(["package.json", ".gitattributes", ".gitignore", "README.md"]);

const refuseForeign = (folder: string, paths: readonly string[]): void => {
  if (existsSync(folder) && !statSync(folder).isDirectory())
    throw createError("create/folder-is-file", { folder });
  const inTheWay = paths.filter((path) => !shared.has(path) && existsSync(join(folder, path))).toSorted();
  if (inTheWay.length === 0) return;
  const [verb, them] = inTheWay.length === 1 ? ["is", "it"] : ["are", "them"];
  throw createError("create/folder-not-empty", {
    files: inBackticks(inTheWay),
    are: verb,
    them,
  });
};

const manifestText = (folder: string, fresh: Manifest): string => {
  const path = join(folder, "package.json");
  if (!existsSync(path)) return print(fresh);
  const own = parseObject(readFileSync(path));
  if (own === undefined) throw createError("create/broken-package", {});
  return print(mergeManifest(own, fresh));
};

const print = (manifest: Manifest): string => `${JSON.stringify(manifest, undefined, 2)}\n`;

/** An existing README or `.gitattributes` is kept; an existing `.gitignore` gets the missing lines. */
const keepOwn = (folder: string, files: Map<string, Uint8Array | string>): void => {
  for (const name of ["README.md", ".gitattributes"]) if (existsSync(join(folder, name))) files.delete(name);
  const path = join(folder, ".gitignore");
  if (!existsSync(path)) return;
  const own = readFileSync(path, "utf8");
  const known = new Set(own.split(/\r?\n/).map((line) => line.replace(/\/$/, "")));
  const lacking = String(files.get(".gitignore"))
    .split("\n")
    .filter((line) => line !== "" && !known.has(line.replace(/\/$/, "")));
  if (lacking.length === 0) files.delete(".gitignore");
  else
    files.set(".gitignore", `${own}${own === "" || own.endsWith("\n") ? "" : "\n"}${lacking.join("\n")}\n`);
};
