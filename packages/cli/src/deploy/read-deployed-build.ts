import { createHash } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { DeployedBuild, DeployedModel } from "@tritype/deploy";
import { fileOnDisk, readManifest } from "@tritype/project";
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
  const models = manifest.models.map(({ name }): DeployedModel => {
    const own = `model_repository/${name}/`;
    const inside = paths.filter((path) => path.startsWith(own));
    const profiles = inside.flatMap((path) => {
      const profile = /^configs\/(.*)\.pbtxt$/.exec(path.slice(own.length))?.[1];
      return profile === undefined ? [] : [[profile, readModelConfig(join(folder, path))] as const];
    });
    return {
      name,
      config: readModelConfig(join(folder, `${own}config.pbtxt`)),
      profiles: Object.fromEntries(profiles),
      bytes: inside
        .filter((path) => /^\d+\//.test(path.slice(own.length)))
        .reduce((sum, path) => sum + statSync(join(folder, path)).size, 0),
    };
  });
  return {
    manifest,
    hash: createHash("sha256")
      .update(readFileSync(join(folder, "manifest.json")))
      .digest("hex"),
    models,
    profiles: [...new Set(models.flatMap(({ profiles }) => Object.keys(profiles)))].toSorted(),
  };
};

const readModelConfig = (path: string): ModelConfig => {
  const read = parseModelConfig(readFileSync(path, "utf8"));
  if ("problem" in read) throw cliError("deploy/broken-build", { path });
  return read.config;
};
