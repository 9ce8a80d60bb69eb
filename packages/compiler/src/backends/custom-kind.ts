import { type Diagnostic, hasErrors, type StepDefinition } from "@tritype/core";
import type { CustomOptions } from "@tritype/dsl";
import { containerOf } from "@tritype/triton";
import { checkVersions } from "../authored-versions.ts";
import { definedAt } from "../check/check-declaration.ts";
import { placedBeside, placedFile } from "../files/placed-files.ts";
import type { StepContext, StepKind } from "../step-kind.ts";
import type { Tree } from "../tree.ts";
import { diagnoseBackend } from "./backend-diagnostics.ts";
import { checkBackendStep } from "./check-backend-step.ts";
import { emitVersions } from "../emit-versions.ts";
import { readModelFile } from "./model-file.ts";
import { checkStandIn, checkStandInProfiles, standInModel, withStandIn } from "./stand-in.ts";

/** A model of a backend that has no kind of its own. */
export const customKind: StepKind = {
  kind: "custom",
  refusals: "immediate",
  options: ["backend", "file", "files", "versions", "standIn"],
  profileOptions: ["useStandIn"],
  check(step, context) {
    const { backend } = step.options as unknown as CustomOptions;
    const files = checkVersions(step, "file", (version) => [
      ...checkFiles(version, context),
      ...checkStandIn(version, context),
    ]);
    return [
      ...checkName(step, context),
      ...checkBackendStep(step, { backend, called: `the backend \`${backend}\`` }, context),
      ...files,
      ...(hasErrors(files) ? [] : checkStandInProfiles(step, context)),
    ];
  },
  emit(step, context) {
    const { backend, file, versions = {} } = step.options as unknown as CustomOptions;
    const standIn = standInModel(step, context);
    const main = file ?? Object.values(versions)[0]?.file;
    return {
      config: { backend, ...(main === undefined ? {} : { default_model_filename: nameOf(main) }) },
      ...emitVersions(step, (version) =>
        withStandIn({ files: filesOf(version, context, main) }, version, context, undefined),
      ),
      ...(standIn === undefined ? {} : { standIn }),
    };
  },
};

const nameOf = (path: string): string => path.slice(path.lastIndexOf("/") + 1);

/** All versions share the configuration, and in it the first one's file name. */
const filesOf = (version: StepDefinition, { host }: StepContext, main: string | undefined): Tree => {
  const { file, files = {} } = version.options as unknown as CustomOptions;
  const own = file === undefined ? [] : placedFile(nameOf(main ?? file), file, host);
  return new Map([...own, ...placedBeside(files, [], host).files]);
};

const checkFiles = (version: StepDefinition, { host }: StepContext): readonly Diagnostic[] => {
  const at = { labels: definedAt(version) };
  const { file, files = {} } = version.options as unknown as CustomOptions;
  const beside = placedBeside(files, file === undefined ? [] : [nameOf(file)], host);
  return [
    ...(file === undefined ? [] : readModelFile(version, host, "its file").diagnostics),
    ...beside.missing.map((path) =>
      diagnoseBackend("step-file/not-found", { with: { step: version.name, file: path }, ...at }),
    ),
    ...beside.clashes.map((clash) =>
      diagnoseBackend("step-file/clash", { with: { step: version.name, ...clash }, ...at }),
    ),
  ];
};

/** Backends are found by the names of folders and libraries, letter by letter. */
const checkName = (step: StepDefinition, { release }: StepContext): readonly Diagnostic[] => {
  const { backend } = step.options as { readonly backend?: unknown };
  const wrong = (problem: string, help: string): readonly Diagnostic[] => [
    diagnoseBackend("custom/backend", {
      with: { step: step.name, backend: JSON.stringify(backend) ?? "undefined", problem },
      labels: definedAt(step),
      help,
    }),
  ];
  if (typeof backend !== "string" || !/^[\w.-]+$/.test(backend) || backend === "ensemble")
    return wrong(
      "which is not a valid backend name",
      "write the name of its folder: letters, digits, `_`, `-` and `.`",
    );
  const near = containerOf(release).backends.find(
    (other) => other !== backend && other === backend.toLowerCase(),
  );
  return near === undefined ? [] : wrong("but backend names are compared exactly", `write "${near}"`);
};
