import { hash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { threadId } from "node:worker_threads";
import { attempt, remembered } from "@tritype/core";
import { upwards } from "./upwards.ts";

/** Results of a project's builds, cached in `node_modules/.cache/tritype`. */
export interface ProjectCache {
  /** The cached content; undefined if missing, damaged, or from another version of Tritype, TypeScript or Node. */
  readonly read: () => unknown;
  readonly write: (content: object) => void;
}

export interface ProjectCacheOptions {
  /** Prefix of the file's name. */
  readonly name: string;
  /** The part of the project that has a separate file. Default: the whole project is in one file. */
  readonly part?: string;
  /** The number of files with this prefix that are kept in the folder; the newest files are kept. Default 32. */
  readonly kept?: number;
  /** The code that produces the cached content: files, and folders of packages. `here` resolves our dependencies. */
  readonly stampOf: (here: NodeJS.Require) => readonly string[];
}

export const openProjectCache = (
  root: string,
  { name, part, kept = 32, stampOf: codeOf }: ProjectCacheOptions,
): ProjectCache => {
  const folder = cacheFolderOf(root);
  if (folder === undefined) return { read: () => undefined, write: () => {} };
  const owner = part === undefined ? resolve(root) : `${resolve(root)}\n${part}`;
  const path = join(folder, `${name}-${hash("sha256", owner).slice(0, 24)}.json`);
  const key = hash("sha256", JSON.stringify([stampOf(codeOf), process.version, resolve(root)]));
  return {
    read() {
      return attempt(() => {
        const text = readFileSync(path, "utf8");
        const end = text.indexOf("\n");
        const content = text.slice(end + 1);
        return text.slice(0, end) === headOf(key, content) ? JSON.parse(content) : undefined;
      });
    },
    write(content) {
      const text = JSON.stringify(content);
      writeCached(path, `${headOf(key, text)}\n${text}`);
      forgetOldest(folder, name, kept);
    },
  };
};

/** Writes a whole file. If that is not possible, the only cost is time. */
export const writeCached = (path: string, content: string | Uint8Array): void => {
  const whole = `${path}.${process.pid}.${threadId}`;
  try {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(whole, content);
    renameSync(whole, path);
  } catch {
    // On a full disk, a part of the file is left.
    attempt(() => rmSync(whole, { force: true }));
  }
};

/** The first line: a hash of the writer and a hash of the content that must follow. */
const headOf = (key: string, content: string): string => `${key} ${hash("sha256", content)}`;

/** In the nearest `node_modules`, which is never committed. */
export const cacheFolderOf = (root: string): string | undefined => {
  const modules = upwards(resolve(root)).map((folder) => join(folder, "node_modules"));
  const nearest = modules.find((path) => existsSync(path));
  return nearest && join(nearest, ".cache", "tritype");
};

/**
 * Deletes all but the newest files, because deleted projects leave their files behind. If that is not possible, the
 * only cost is space.
 */
export const forgetOldest = (folder: string, name: string, kept: number): void => {
  try {
    deleteOldest(folder, name, kept);
  } catch {}
};

const deleteOldest = (folder: string, name: string, kept: number): void => {
  const files = readdirSync(folder).filter((file) => file.startsWith(`${name}-`));
  if (files.length <= kept) return;
  const byAge = files
    .map((file) => ({ path: join(folder, file), time: statSync(join(folder, file)).mtimeMs }))
    .toSorted((a, b) => b.time - a.time);
  for (const { path } of byAge.slice(kept)) rmSync(path, { force: true });
};

/**
 * A stamp of the code that produces the cached content: every file with its size and time when the process first needs it. Packages have
 * their package.json too, because some tools give all files the same time, and a new version may have the same sizes.
 */
const stampOf = remembered((codeOf: ProjectCacheOptions["stampOf"]): string =>
  [join(dirname(fileURLToPath(import.meta.url)), ".."), ...codeOf(createRequire(import.meta.url))]
    .flatMap((path) =>
      statSync(path).isDirectory()
        ? [join(path, "package.json"), ...[join(path, "dist"), join(path, "src")].flatMap(filesIn)]
        : [path],
    )
    .map((path) => {
      const { size, mtimeMs } = statSync(path);
      const content = path.endsWith(`${sep}package.json`) ? hash("sha256", readFileSync(path)) : "";
      return `${path} ${size} ${mtimeMs} ${content}`;
    })
    .toSorted()
    .join("\n"),
);

const filesIn = (folder: string): readonly string[] =>
  existsSync(folder)
    ? readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name))
    : [];
