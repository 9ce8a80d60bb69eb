import type { Diagnostic } from "@tritype/core";
import { containerOf } from "@tritype/triton";
import { definedAt } from "../../check/check-declaration.ts";
import { diagnose } from "../../diagnostics.ts";
import { textFile, type Tree, type TreeFile } from "../../tree.ts";
import type { EmitOptions, EmittedModel } from "../emitted-model.ts";
import { composeFile } from "./compose-file.ts";
import { dockerfile } from "./dockerfile.ts";
import { preparingImages } from "../prepared-files.ts";
import { backendsOf, imageNeeds, unpreparedProfiles } from "./image-needs.ts";
import { nativePackages } from "../../node/native-packages.ts";
import { resolveRequirements } from "./resolve-requirements.ts";

/**
 * The files for the repository's container: `Dockerfile`, `compose.yaml`, `.dockerignore`, and `requirements.txt` if
 * Python runs; without Docker, only the `npm` folder, from which the user installs packages with native code.
 */
export const emitDocker = (
  models: readonly EmittedModel[],
  ensembles: readonly string[],
  { host, release, docker, profiles }: Pick<EmitOptions, "docker" | "host" | "profiles" | "release">,
): { readonly files: Tree; readonly diagnostics: readonly Diagnostic[] } => {
  const needs = imageNeeds(models);
  const { pins, complete, unhashed, diagnostics } = resolveRequirements(models);
  const npm = nativePackages(models, host);
  if (docker === false) return { files: new Map(npm.files), diagnostics };
  const container = containerOf(release);
  const strangers = docker.baseImage === undefined ? strangersOf(models, container.backends) : [];
  const preparing = preparingImages(models);
  const image = {
    release,
    container,
    needs,
    baseImage: docker.baseImage,
    digests: docker.digests ?? {},
    strangers: [...new Set(strangers.map(({ backend }) => backend))],
    packages: pins.length === 0 ? undefined : { complete, hashed: unhashed.length === 0 },
    nativeFolders: npm.folders,
    preparing,
    unprepared: preparing.length === 0 ? [] : unpreparedProfiles(models, Object.keys(profiles)),
  };
  const files = new Map<string, TreeFile>([
    [".dockerignore", textFile(ignored(pins.length > 0, image.preparing.length > 0, npm.folders.length > 0))],
    ["Dockerfile", textFile(dockerfile(image))],
    ["compose.yaml", textFile(composeFile(image, ensembles))],
    ...npm.files,
    ...(pins.length === 0
      ? []
      : [
          [
            "requirements.txt",
            textFile(requirementsFile(pins, complete, unhashed, container.python)),
          ] as const,
        ]),
  ]);
  const missing = strangers.map(({ model, backend }) =>
    diagnose("docker/backend-not-in-image", {
      with: { step: model.name, backend, image: container.image },
      labels: model.definition === undefined ? [] : definedAt(model.definition),
    }),
  );
  return { files, diagnostics: [...diagnostics, ...missing] };
};

const strangersOf = (
  models: readonly EmittedModel[],
  installed: readonly string[],
): readonly { readonly model: EmittedModel; readonly backend: string }[] =>
  models.flatMap((model) =>
    backendsOf(model)
      .filter((backend) => !installed.includes(backend))
      .map((backend) => ({ model, backend })),
  );

/** Nothing else in the folder, such as a client or the user's own files, is sent to the builder. */
const ignored = (requirements: boolean, prepared: boolean, npm: boolean): string =>
  [
    "*",
    "!manifest.json",
    "!model_repository",
    ...(prepared ? ["!prepare"] : []),
    ...(npm ? ["!npm"] : []),
    ...(requirements ? ["!requirements.txt"] : []),
  ].join("\n") + "\n";

const requirementsFile = (
  pins: readonly string[],
  complete: boolean,
  unhashed: readonly string[],
  python: string,
): string =>
  [
    `# The packages that the models import, for the Python ${python} of Triton's image. Written by \`pipeline build\`.`,
    ...(complete
      ? []
      : ["# pip also installs their dependencies; pin those too if builds must be repeatable."]),
    ...(unhashed.length === 0
      ? []
      : [
          `# pip cannot check hashes, because these packages have none: ${unhashed.join(", ")}. Add them in the step's \`requirements\`:`,
          `#   "${unhashed[0] ?? ""}==<version> --hash=sha256:<hash>"`,
        ]),
    ...pins,
    "",
  ].join("\n");
