import { readdirSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import type { CompilerHost, ProjectFile } from "@tritype/compiler";
import { attempt, PipelineError } from "@tritype/core";
import { type BuildInputs, createBuildInputs } from "./build-inputs.ts";
import { fileOnDisk } from "./files/file-on-disk.ts";
import { hashOnce, hashPieces, readLargeFile } from "./files/large-file.ts";
import { pathInside } from "./files/path-inside.ts";

/**
 * The compiler's view of a project's files. Files that it reads as a whole are read and hashed only once. Every file that it requests
 * counts as an input, whether or not it exists.
 */
export const createNodeHost = (root: string, inputs: BuildInputs = createBuildInputs()): CompilerHost => {
  const files = new Map<string, Uint8Array | undefined>();
  return {
    readFile(path) {
      if (!files.has(path)) {
        inputs.add(resolve(root, path));
        files.set(path, tryRead(resolve(root, path)));
      }
      return files.get(path);
    },
    openFile(path) {
      inputs.add(resolve(root, path));
      return fileOnDisk(resolve(root, path));
    },
    listFiles(folder) {
      const files = tryList(resolve(root, folder));
      const folders = new Set((files ?? []).map((file) => dirname(resolve(root, folder, file))));
      for (const path of folders.add(resolve(root, folder))) inputs.add(`${path}${sep}`);
      return files;
    },
    sha256: hashOnce,
    hashPieces,
  };
};

const tryList = (folder: string): readonly string[] | undefined =>
  attempt(() =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join("/"))
      .toSorted(),
  );

const tryRead = (path: string): Uint8Array | undefined => {
  try {
    return readLargeFile(path);
  } catch (error) {
    if (PipelineError.is(error)) throw error;
    return undefined;
  }
};

/** A user's file: inside the project, outside `node_modules`. */
export const projectFile =
  (root: string): ProjectFile =>
  (path) => {
    const file = pathInside(root, path.startsWith("file:") ? fileURLToPath(path) : path);
    return file?.split("/").includes("node_modules") === true ? undefined : file;
  };
