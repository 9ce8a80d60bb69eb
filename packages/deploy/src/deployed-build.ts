import { encodeUtf8, ownValue } from "@tritype/core";
import type { Manifest } from "@tritype/manifest";
import type { ModelConfig } from "@tritype/triton";
import { buildName } from "./model-storage.ts";

/** A build, as read from its folder. */
export interface DeployedBuild {
  readonly manifest: Manifest;
  /** SHA-256 of `manifest.json`: the identity of the build. */
  readonly hash: string;
  readonly models: readonly DeployedModel[];
  /** Names of the profiles. */
  readonly profiles: readonly string[];
}

export interface DeployedModel {
  readonly name: string;
  readonly config: ModelConfig;
  /** The model's configuration in each profile. */
  readonly profiles: Readonly<Record<string, ModelConfig>>;
  /** Size of the files in its version folders. */
  readonly bytes: number;
  /** Size of its whole folder, such as with samples for warmup. */
  readonly storedBytes: number;
}

/** The configuration of a model in a profile, or without a profile if `profile` is undefined. */
export const configIn = (model: DeployedModel, profile: string | undefined): ModelConfig =>
  (profile === undefined ? undefined : ownValue(model.profiles, profile)) ?? model.config;

/** The configurations of all models, in every profile and without a profile. */
export const configsOf = ({ models }: DeployedBuild): readonly ModelConfig[] =>
  models.flatMap(({ config, profiles }) => [config, ...Object.values(profiles)]);

/** Files of the repository that are created after the build, relative to the build folder: `prepare.sh` writes two for each. */
export const preparedPaths = ({ models }: Manifest): readonly string[] =>
  models.flatMap(({ name, versions = [] }) =>
    versions.flatMap(({ version, prepared = [] }) =>
      prepared.flatMap((path) =>
        ["", ".made-of"].map((end) => `model_repository/${name}/${version}/${path}${end}`),
      ),
    ),
  );

/** Names of files and folders in a repository that builds and servers ignore: caches, and packages that npm installed. */
export const passingNames = ["__pycache__", "node_modules", ".DS_Store"] as const;

/** The name of servers with this build, in `GET /v2`: which build answers. */
export const serverName = ({ manifest, hash }: Pick<DeployedBuild, "hash" | "manifest">): string =>
  `${deploymentName(manifest)}-${buildName(hash)}`;

/** A name for Kubernetes (RFC 1123: lower-case, here at most 40 characters) from the models that clients call. */
export const deploymentName = ({ ensembles }: Manifest): string => {
  const [first, ...others] = ensembles;
  const name = `${first?.name ?? "triton"}${others.length === 0 ? "" : `-and-${others.length}-more`}`;
  const fitting = name
    .toLowerCase()
    .replaceAll(/[^a-z\d]+/g, "-")
    .replaceAll(/^-|-$/g, "");
  if (fitting === "") return "triton";
  return fitting.length > 40 ? shortName(fitting, name) : fitting;
};

/** At most 40 characters that stand for a text: the beginning of `name`, and the hash of the text. */
export const shortName = (name: string, text: string): string => `${name.slice(0, 26)}-${hashOf(text)}`;

/** FNV-1a with 64 bits, in 1 to 13 letters and digits. */
const hashOf = (text: string): string =>
  encodeUtf8(text)
    .reduce((hash, byte) => BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n), 0xcbf29ce484222325n)
    .toString(36);
