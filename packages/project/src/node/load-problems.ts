import { hash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Span } from "@tritype/core";
import { type LoadFailure, loadFunctions } from "@tritype/node-host";
import { temporaryFolder } from "@tritype/wheels";
import { openProjectCache } from "../project-cache.ts";
import type { BundledFunction } from "@tritype/compiler";
import { type NodeProblem, notLoadedProblem, packageProblem } from "./node-problem.ts";

/** A bundle to load, and the position at which its step is defined. */
export interface LoadRequest {
  readonly bundled: Pick<BundledFunction, "files">;
  readonly at: Span;
}

const loadingCode = (here: NodeJS.Require) => [here.resolve("@tritype/node-host/package.json")];

/** Bundles that are known to load, newest last. */
const keptBundles = 1000;

/**
 * Loads bundles as the server does: all in one process with the permissions of a function, and each bundle only once.
 * The problems are in the order of the requests; undefined for a bundle that can be loaded.
 */
export const loadProblems = async (
  root: string,
  requests: readonly LoadRequest[],
): Promise<readonly (NodeProblem | undefined)[]> => {
  const cache = openProjectCache(root, { name: "loaded", stampOf: loadingCode });
  const known = new Set((cache.read() as { readonly hashes: readonly string[] } | undefined)?.hashes);
  const all = requests.map(({ bundled }) => hash("sha256", bundled.files.get("run.mjs") ?? ""));
  const fresh = [...requests.keys()].filter((index) => !known.has(all[index] ?? ""));
  if (fresh.length === 0) return requests.map(() => undefined);
  const failures = await loadAll(fresh.map((index) => requests[index]?.bundled.files ?? new Map()));
  const hashes = [
    ...known,
    ...fresh.flatMap((index, at) => (failures[at] === undefined ? (all[index] ?? []) : [])),
  ];
  cache.write({ hashes: hashes.slice(-keptBundles) });
  return requests.map(({ at }, index) => {
    const failure = failures[fresh.indexOf(index)];
    return failure === undefined ? undefined : problemOf(failure, at);
  });
};

const loadAll = async (
  bundles: readonly BundledFunction["files"][],
): Promise<readonly (LoadFailure | undefined)[]> => {
  const { path: parent, remove } = temporaryFolder("tritype-load-");
  try {
    const folders = bundles.map((files, index) => {
      const folder = join(parent, String(index));
      mkdirSync(folder);
      for (const [name, text] of files) writeFileSync(join(folder, name), text);
      return folder;
    });
    return await loadFunctions(parent, folders);
  } finally {
    remove();
  }
};

const problemOf = ({ text, package: name, denied }: LoadFailure, at: Span): NodeProblem => {
  const [, message = text, file, line, column] = /^([^]*) \(([^()]+):(\d+):(\d+)\)$/.exec(text) ?? [];
  const thrownAt =
    file === undefined || file === "run.mjs" ? at : { file, line: Number(line), column: Number(column) };
  if (name !== undefined && denied === undefined)
    return packageProblem(name, `loading it fails with "${message}"`, thrownAt);
  return notLoadedProblem(message, denied, thrownAt);
};
