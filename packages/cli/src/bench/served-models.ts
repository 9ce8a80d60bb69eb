import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { InferenceClient } from "@tritype/client";
import { manifestSchema } from "@tritype/manifest";

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

/** Model → hash of its files in a build; undefined if there is no manifest next to the repository. */
export const builtModels = (repository: string): Readonly<Record<string, string>> | undefined => {
  const path = join(repository, "..", "manifest.json");
  if (!existsSync(path)) return undefined;
  const manifest = manifestSchema.safeParse(JSON.parse(readFileSync(path, "utf8")));
  if (!manifest.success) return undefined;
  const { models, files } = manifest.data;
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

/** Model → hash of its configuration: of the model that is asked and of those that its ensemble names. */
export const configuredModels = async (
  client: InferenceClient,
  model: string,
): Promise<Readonly<Record<string, string>>> => {
  const hashes: Record<string, string> = {};
  const read = async (name: string): Promise<void> => {
    if (Object.hasOwn(hashes, name)) return;
    const config = (await client.modelConfig(name)) as {
      readonly ensemble_scheduling?: { readonly step?: readonly { readonly model_name?: string }[] };
    };
    hashes[name] = sha256(JSON.stringify(config));
    for (const { model_name } of config.ensemble_scheduling?.step ?? [])
      if (model_name !== undefined) await read(model_name);
  };
  await read(model);
  return hashes;
};
