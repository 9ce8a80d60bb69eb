import type { Diagnostic, StepDefinition } from "@tritype/core";
import { containerOf } from "@tritype/triton";
import { writtenAt } from "../check/check-declaration.ts";
import { optionForms, optionsOf, perVersion } from "../check/check-option-forms.ts";
import { nearFileHelp } from "../files/near-file.ts";
import { placedBeside, placedFile } from "../files/placed-files.ts";
import type { Found, StepContext, StepKind, StepVersion } from "../step-kind.ts";
import { diagnoseBackend } from "./backend-diagnostics.ts";
import { readModelFile } from "./model-file.ts";
import { readBackendStep } from "./read-backend-step.ts";

const options = {
  ...perVersion({ file: optionForms.path, files: optionForms.files, standIn: optionForms.path }),
  backend: optionForms.word,
};

/** A model on a backend without a dedicated step kind. */
export const customKind: StepKind = {
  kind: "custom",
  refusals: "immediate",
  options,
  profileOptions: ["useStandIn"],
  read(step, context) {
    const { backend = "", file, versions = {} } = optionsOf(step, options);
    // All versions share the configuration, including the file name of the first version.
    const main = file ?? Object.values(versions)[0]?.file;
    return readBackendStep(step, context, {
      backend: { backend, called: `the backend \`${backend}\`` },
      option: "file",
      config: () => (main === undefined ? {} : { default_model_filename: nameOf(main) }),
      found: checkName(step, backend, context),
      read: (version) => readFiles(version, main, context),
    });
  },
};

const nameOf = (path: string): string => path.slice(path.lastIndexOf("/") + 1);

const readFiles = (
  version: StepDefinition,
  main: string | undefined,
  { host }: StepContext,
): Found<StepVersion> => {
  const at = (name: string) => ({ labels: writtenAt(version, "files", name) });
  const { file, files = {} } = optionsOf(version, options);
  const read = file === undefined ? undefined : readModelFile(version, file, host, "its file");
  const name = nameOf(main ?? file ?? "");
  const own = read?.bytes === undefined ? [] : placedFile(name, read.file, host);
  const beside = placedBeside(files, read === undefined ? [] : [name], host);
  return {
    diagnostics: [
      ...(read?.diagnostics ?? []),
      ...beside.missing.map(({ name, path }) =>
        diagnoseBackend("step-file/not-found", {
          with: { step: version.name, file: path },
          ...at(name),
          ...nearFileHelp(host, path),
        }),
      ),
      ...beside.clashes.map((clash) =>
        diagnoseBackend("step-file/clash", { with: { step: version.name, ...clash }, ...at(clash.name) }),
      ),
    ],
    value: { files: new Map([...own, ...beside.files]) },
  };
};

/** Backends are found by the exact names of folders and libraries. */
const checkName = (
  step: StepDefinition,
  backend: string,
  { release }: StepContext,
): readonly Diagnostic[] => {
  const wrong = (problem: string, help: string): readonly Diagnostic[] => [
    diagnoseBackend("custom/backend", {
      with: { step: step.name, backend: JSON.stringify(backend), problem },
      labels: writtenAt(step, "backend"),
      help,
    }),
  ];
  if (!/^[\w.-]+$/.test(backend) || backend === "ensemble")
    return wrong(
      "which is not a valid backend name",
      "write the name of its folder: letters, digits, `_`, `-` and `.`",
    );
  const near = containerOf(release).backends.find(
    (other) => other !== backend && other === backend.toLowerCase(),
  );
  return near === undefined ? [] : wrong("but backend names are compared exactly", `write "${near}"`);
};
