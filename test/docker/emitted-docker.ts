import { encodeUtf8 } from "@tritype/core";
import { releaseOf, defaultRelease, type ModelConfig } from "@tritype/triton";
import type { DockerOptions } from "@tritype/compiler";
import { emitDocker } from "../../packages/compiler/src/emit/docker/emit-docker.ts";
import type { EmittedModel } from "../../packages/compiler/src/emit/emitted-model.ts";

const tools = "nvcr.io/nvidia/tensorrt:24.10-py3";

/** The files emitted for models with these configurations. */
export interface EmittedDocker {
  readonly files: Readonly<Record<string, string>>;
  readonly codes: readonly string[];
}

export interface DockerCase {
  readonly models: readonly (ModelConfig & {
    readonly requirements?: readonly string[];
    readonly files?: readonly string[];
    /** Files of version 1 that the build cannot write itself. */
    readonly prepared?: readonly string[];
    /** Packages with native addons that its function imports. */
    readonly native?: readonly { readonly name: string; readonly version: string }[];
    /** The configuration in each of the project's profiles. */
    readonly profiles?: readonly ModelConfig[];
  })[];
  readonly profiles?: readonly string[];
  /** The project's package-lock.json. */
  readonly lock?: object;
  readonly target?: string;
  readonly docker?: DockerOptions | false;
}

/** The container's files for models that consist only of configurations. */
export const emittedDocker = ({
  models,
  target,
  docker = {},
  lock,
  profiles: names = [],
}: DockerCase): EmittedDocker => {
  const release = target === undefined ? defaultRelease : releaseOf(target);
  if (release === undefined) throw new Error(`no release ${target}`);
  const emitted = models.map(
    (
      { requirements = [], files = [], prepared = [], native = [], profiles = [], ...config },
      index,
    ): EmittedModel => ({
      name: `model${index}`,
      kind: "custom",
      definition: undefined,
      config,
      files: new Map(files.map((path) => [path, { kind: "text", text: "" }])),
      versions: new Map([
        [
          1,
          {
            files: new Map(),
            prepared: prepared.map((path) => ({ path, image: tools, sources: new Map(), command: ["make"] })),
          },
        ],
      ]),
      profiles,
      placesIn: () => () => ({ authors: false, span: undefined }),
      listed: false,
      requirements,
      nativePackages: native,
      needs: [],
    }),
  );
  const made = emitDocker(emitted, ["embed"], {
    host: {
      readFile: (path) =>
        path === "package-lock.json" && lock !== undefined ? encodeUtf8(JSON.stringify(lock)) : undefined,
      listFiles: () => undefined,
      sha256: () => "",
    },
    release,
    docker,
    profiles: Object.fromEntries(names.map((name) => [name, {}])),
  });
  return {
    files: Object.fromEntries(
      [...made.files].map(([path, file]) => [path, file.kind === "text" ? file.text : ""]),
    ),
    codes: made.diagnostics.map(({ code }) => code),
  };
};
