import { createHash } from "node:crypto";
import { dirname } from "node:path";
import type { Endpoint } from "@tritype/endpoint";
import { readManifest } from "@tritype/project";

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

/** Model → hash of its files in a build; undefined if no manifest is next to the repository. */
export const builtModels = (repository: string): Readonly<Record<string, string>> | undefined => {
  const manifest = readManifest(dirname(repository));
  if (manifest === undefined) return undefined;
  const { models, files } = manifest;
  return Object.fromEntries(
    models.map(({ name }) => [
      name,
      sha256(
        JSON.stringify(
          Object.entries(files)
            .filter(([file]) => file.startsWith(`model_repository/${name}/`))
            .toSorted(([a], [b]) => (a < b ? -1 : 1)),
        ),
      ),
    ]),
  );
};

/** Model → hash of its configuration: for the requested model and the models in its ensemble. */
export const configuredModels = async (
  endpoint: Endpoint,
  model: string,
): Promise<Readonly<Record<string, string>>> => {
  const hashes: Record<string, string> = {};
  const read = async (name: string): Promise<void> => {
    if (Object.hasOwn(hashes, name)) return;
    const config = await endpoint.config(name);
    hashes[name] = sha256(JSON.stringify(config));
    for (const { model_name } of config.ensemble_scheduling?.step ?? [])
      if (model_name !== undefined) await read(model_name);
  };
  await read(model);
  return hashes;
};
