import { hash } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { DeployedBuild, DeployedModel } from "@tritype/deploy";
import { passingNames, preparedPaths } from "@tritype/deploy/diagnostics";
import type { Manifest } from "@tritype/manifest";
import { fileOnDisk, filesBelow, readManifest } from "@tritype/project";
import { type ModelConfig, parseModelConfig } from "@tritype/triton";
import { cliError } from "../errors.ts";
import { shownPath } from "../shown-path.ts";

/** The build in the folder. @throws PipelineError `file/not-found`, `file/foreign`, or `file/not-readable` if it was edited */
export const readDeployedBuild = (folder: string, cwd: string): DeployedBuild => {
  const manifest = readManifest(folder);
  if (manifest === undefined) throw cliError("deploy/no-build", { folder: shownPath(cwd, folder) });
  const paths = Object.keys(manifest.files);
  const edited = paths.find((path) => fileOnDisk(join(folder, path))?.sha256() !== manifest.files[path]);
  if (edited !== undefined)
    throw cliError("deploy/broken-build", { path: shownPath(cwd, join(folder, edited)) });
  const foreign = foreignFiles(folder, manifest);
  if (foreign.length > 0)
    throw cliError("deploy/not-built", {
      files: foreign.map((path) => shownPath(cwd, join(folder, path))).join(", "),
    });
  const models = manifest.models.map(({ name }): DeployedModel => {
    const own = `model_repository/${name}/`;
    const inside = paths.filter((path) => path.startsWith(own));
    const profiles = inside.flatMap((path) => {
      const profile = /^configs\/(.*)\.pbtxt$/.exec(path.slice(own.length))?.[1];
      return profile === undefined ? [] : [[profile, readModelConfig(join(folder, path))] as const];
    });
    const sizeOf = (files: readonly string[]): number =>
      files.reduce((sum, path) => sum + statSync(join(folder, path)).size, 0);
    return {
      name,
      config: readModelConfig(join(folder, `${own}config.pbtxt`)),
      profiles: Object.fromEntries(profiles),
      bytes: sizeOf(inside.filter((path) => /^\d+\//.test(path.slice(own.length)))),
      storedBytes: sizeOf(inside),
    };
  });
  return {
    manifest,
    hash: buildHash(folder),
    models,
    profiles: [...new Set(models.flatMap(({ profiles }) => Object.keys(profiles)))].toSorted(),
  };
};

/** SHA-256 of the manifest: the identity of a build. @param folder The build folder. */
export const buildHash = (folder: string): string =>
  hash("sha256", readFileSync(join(folder, "manifest.json")));

/** Files in the repository that servers may load although the build did not write them. */
const foreignFiles = (folder: string, manifest: Manifest): readonly string[] => {
  const own = new Set([...Object.keys(manifest.files), ...preparedPaths(manifest)]);
  return filesBelow(join(folder, "model_repository"))
    .map((path) => `model_repository/${path}`)
    .filter((path) => !own.has(path) && !path.split("/").some((part) => passing.has(part)))
    .toSorted();
};

const passing: ReadonlySet<string> = new Set(passingNames);

const readModelConfig = (path: string): ModelConfig => {
  const read = parseModelConfig(readFileSync(path, "utf8"));
  if ("problem" in read) throw cliError("deploy/broken-build", { path });
  return read.config;
};
