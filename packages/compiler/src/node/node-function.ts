import { type Diagnostic, type Signature, type StepDefinition, wireDims } from "@tritype/core";
import {
  nodeFiles,
  type FunctionTwinOptions,
  type NodePermissions,
  type NodeTwinOptions,
} from "@tritype/manifest";
import { definedAt, writtenAt } from "../check/check-declaration.ts";
import { sourceNotFound } from "../function/check-function.ts";
import type { CompilerHost } from "../compiler-host.ts";
import { nodeHost } from "../generated/node-host.ts";
import { nodeTemplate } from "../generated/python.ts";
import { plain } from "../plain.ts";
import { onCpu } from "../python/on-cpu.ts";
import { printPython } from "../python-template.ts";
import type { Found, ModelOptions, ReadStep, StepContext, StepModel } from "../step-kind.ts";
import { textFile } from "../tree.ts";
import type { BundledFunction, BundleRequest } from "./bundle.ts";
import { type FunctionSettings, nodeRequirements } from "./function-settings.ts";
import { tensorsOf } from "../function/function-tensors.ts";
import { diagnoseProblem } from "./bundle-diagnostics.ts";
import { diagnose } from "./node-diagnostics.ts";
import { foreignLockOf, lockProblem, npmLockFile, readNpmLock } from "./npm-lock.ts";

/** A Node function's request to the bundler; undefined if its source is unknown. */
export const bundleRequest = ({
  name,
  site,
}: Pick<StepDefinition, "name" | "site">): BundleRequest | undefined =>
  site.length === 0 ? undefined : { step: name, site };

/** A function that runs on Node in Triton: a python model that manages a Node process, and the bundled function. */
export const readNodeFunction = (
  step: StepDefinition,
  options: FunctionTwinOptions,
  { bundled, accepts }: { readonly bundled: BundledFunction | undefined } & Pick<ReadStep, "accepts">,
  settings: FunctionSettings,
  { batched, host }: Pick<StepContext, "batched" | "host">,
): Found<ReadStep> => {
  if (bundled === undefined) return { diagnostics: [sourceNotFound(step)] };
  const problems = bundled.problems.map((problem) => diagnoseProblem(step, problem));
  const diagnostics = [...problems, ...checkNative(step, bundled, host)];
  if (diagnostics.length > 0) return { diagnostics };
  return {
    diagnostics,
    value: {
      model: (model) => emitNodeFunction(step, options, bundled, settings, batched, model),
      sharesPython: `\`${step.name}\` runs on Node`,
      ...(accepts === undefined ? {} : { accepts }),
    },
  };
};

const checkNative = (
  step: StepDefinition,
  { native }: BundledFunction,
  host: CompilerHost,
): readonly Diagnostic[] => {
  if (native.length === 0) return [];
  const lock = readNpmLock(host);
  const unlocked = native.flatMap((one) => {
    const problem = lockProblem(lock, one);
    if (problem === undefined) return [];
    const foreign = foreignLockOf(host);
    const help = foreign === undefined ? problem.help : foreignHelp(foreign, native);
    return [{ package: one.name, version: one.version, why: problem.why, help }];
  });
  return [
    ...(allowOf(step).addons === true
      ? []
      : [
          diagnose("node/addons-not-allowed", {
            with: { step: step.name, packages: native.map(({ name }) => name).join(", ") },
            labels: writtenAt(step, "allow"),
          }),
        ]),
    ...unlocked.map((one) =>
      diagnose("node/not-locked", { with: { step: step.name, ...one }, labels: definedAt(step) }),
    ),
  ];
};

/** In a folder that another package manager has filled, npm fails or changes the packages. */
const foreignHelp = (foreign: string, native: BundledFunction["native"]): string =>
  `npm does not read ${foreign}: run \`npm install --prefix . --package-lock-only ${native.map(({ name, version }) => `${name}@${version}`).join(" ")}\` in an empty folder, and move its ${npmLockFile} to the project's root`;

const emitNodeFunction = (
  step: StepDefinition,
  options: FunctionTwinOptions,
  { files, packages, native, jsonReaders }: BundledFunction,
  settings: FunctionSettings,
  batched: boolean,
  { holdErrors, namesOf }: ModelOptions,
): StepModel => {
  const callees = Object.values(step.callees ?? {});
  const twin = plain({
    ...options,
    allow: allowOf(step),
    writtenAt: placeOf(step),
    ...(holdErrors ? { holdErrors } : {}),
    ...(callees.length === 0 ? {} : { calls: callsOf(step, namesOf) }),
  });
  return {
    config: onCpu(batched ? { dynamic_batching: {} } : {}),
    files: new Map([
      ["model.py", textFile(printPython(nodeTemplate, {}))],
      [nodeFiles.host, textFile(nodeHost)],
      ...(jsonReaders === undefined ? [] : [[nodeFiles.inputs, textFile(jsonReaders)] as const]),
      ...[...files].map(([path, text]) => [path, textFile(text)] as const),
      [nodeFiles.options, textFile(`${JSON.stringify(twin, null, 2)}\n`)],
    ]),
    requirements: nodeRequirements(settings),
    twin: { kind: "node", options: twin },
    packages: packages.map(({ name, version, licence }) =>
      licence === undefined ? { name, version } : { name, version, licence },
    ),
    nativePackages: native,
    ...(callees.length === 0 ? {} : { calls: [...new Set(callees.map(({ model }) => model))] }),
  };
};

const placeOf = (step: StepDefinition): string | undefined => {
  const [{ span } = {}] = writtenAt(step, "run");
  return span && `${span.file}:${span.line}:${span.column}`;
};

/** The models that a flow calls, in the form that its function uses. */
const callsOf = (
  { callees = {} }: StepDefinition,
  namesOf: ModelOptions["namesOf"],
): NonNullable<NodeTwinOptions["calls"]> =>
  Object.fromEntries(
    Object.entries(callees).map(([name, { inputs, outputs, ...model }]) => {
      const names = namesOf(model.model);
      return [
        name,
        {
          ...model,
          inputs: servedTensors(inputs, names?.inputs),
          outputs: servedTensors(outputs, names?.outputs),
        },
      ];
    }),
  );

/** The tensors as callers see them. In requests, a tensor with only the batch dim has the shape [batch, 1]. */
const servedTensors = (
  signature: Signature,
  names: Readonly<Record<string, string>> = {},
): NodeTwinOptions["inputs"] =>
  Object.fromEntries(
    Object.entries(tensorsOf(signature)).map(([name, { dims, ...rest }]) => [
      name,
      {
        ...rest,
        dims: wireDims(dims),
        ...(Object.hasOwn(names, name) ? { servedAs: names[name] } : {}),
      },
    ]),
  );

const allowOf = ({ options }: StepDefinition): NodePermissions => options["allow"] ?? {};
