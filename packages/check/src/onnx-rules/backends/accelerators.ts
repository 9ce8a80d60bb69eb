import { didYouMean, type Label, nearHelp } from "@tritype/core";
import {
  acceleratorParameterHelp,
  acceleratorValueProblem,
  type OnnxAccelerator,
  onnxAccelerators,
} from "@tritype/triton";
import type { ModelContext } from "../../model-context.ts";
import { modelRule, type Rule } from "../../rule.ts";
import { onGpu } from "./session-parameters.ts";

const knownTo = ({ options }: ModelContext): ReadonlyMap<string, OnnxAccelerator> =>
  onnxAccelerators(options.release.container);

const namesOn = (model: ModelContext, side: OnnxAccelerator["side"]): readonly string[] =>
  [...knownTo(model)].flatMap(([name, one]) => (one.side === side ? name : []));

type Side = "gpu_execution_accelerator" | "cpu_execution_accelerator";

interface Accelerator {
  readonly name: string;
  readonly parameters: Readonly<Record<string, string>>;
  /** The field in the configuration. */
  readonly path: readonly (string | number)[];
}

/** The accelerators of an ONNX Runtime model for GPUs or CPUs; none for another backend. */
export const acceleratorsOf = ({ config }: ModelContext, side: Side): readonly Accelerator[] => {
  if (config.backend !== "onnxruntime") return [];
  const all = config.optimization?.execution_accelerators?.[side] ?? [];
  return all.map(({ name = "", parameters = {} }, index) => ({
    name,
    parameters,
    path: ["optimization", "execution_accelerators", side, index],
  }));
};

type Accelerators = readonly Accelerator[];

const gpuAccelerators = (model: ModelContext): Accelerators =>
  onGpu(model) ? acceleratorsOf(model, "gpu_execution_accelerator") : [];

const parametersOf = (accelerators: Accelerators) =>
  accelerators.flatMap(({ name, parameters: all, path }) =>
    Object.entries(all).map(([key, value]) => ({ name, key, value, path: [...path, "parameters", key] })),
  );

const unknown = modelRule(
  {
    code: "accelerator/unknown",
    triton: ["161"],
    judged: "recorded",
    words: "unknown Execution Accelerator '{name}' is requested",
    message:
      "`{model}` uses the {device} accelerator `{name}`, which the server's ONNX Runtime backend does not have (known: {known})",
    reason: "Accelerator names are compared exactly; GPU accelerators only apply to KIND_GPU instances.",
  },
  (model, report) => {
    const check = (device: string, found: Accelerators, known: readonly string[]) => {
      for (const { name, path } of found) {
        if (known.includes(name)) continue;
        report(model.at([...path, "name"], "here"), {
          device,
          name,
          known: known.join(", ") || "none",
          help: nearHelp(didYouMean(name, known)),
        });
      }
    };
    const cpuNames = model.options.installed?.cpuAccelerators ?? namesOn(model, "cpu");
    check("GPU", gpuAccelerators(model), namesOn(model, "gpu"));
    check("CPU", acceleratorsOf(model, "cpu_execution_accelerator"), cpuNames);
  },
);

/** Reports parameters that a GPU accelerator does not have. */
const reportUnknown = (
  model: ModelContext,
  accelerator: "cuda" | "tensorrt",
  report: (label: Label, values: { readonly key: string; readonly help: string | undefined }) => void,
): void => {
  const one = knownTo(model).get(accelerator);
  if (one === undefined) return;
  const known = new Set([...Object.keys({ ...one.parameters, ...one.overwritten }), ...one.reserved]);
  for (const { name, key, path } of parametersOf(gpuAccelerators(model)))
    if (name === accelerator && !known.has(key))
      report(model.at(path, "here"), { key, help: acceleratorParameterHelp(one, key) });
};

const unknownParameter = modelRule(
  {
    code: "accelerator/tensorrt-unknown-parameter",
    triton: ["162"],
    judged: "source",
    message: "the tensorrt accelerator of `{model}` has no parameter `{key}`",
    reason: "The backend refuses unknown parameters for the TensorRT accelerator.",
  },
  (model, report) => reportUnknown(model, "tensorrt", report),
);

const wrongValue = modelRule(
  {
    code: "accelerator/parameter-value",
    triton: ["162", "163"],
    judged: "source",
    message: "parameter `{key}` of the {name} accelerator of `{model}` is `{value}`; it must be {wanted}",
    reason: "All values are strings, which the backend parses before it passes them to ONNX Runtime.",
  },
  (model, report) => {
    for (const { name, key, value, path } of parametersOf(gpuAccelerators(model))) {
      const known = knownTo(model).get(name);
      const kinds = new Map(Object.entries({ ...known?.parameters, ...known?.overwritten }));
      const wanted = acceleratorValueProblem(value, kinds.get(key) ?? "text");
      if (wanted !== undefined) report(model.at(path, "here"), { name, key, value, wanted });
    }
  },
);

const unknownCudaParameter = modelRule(
  {
    code: "accelerator/cuda-unknown-parameter",
    triton: ["163"],
    severity: "warning",
    judged: "source",
    since: "24.06",
    message:
      "ONNX Runtime's CUDA provider has no option `{key}`, which the cuda accelerator of `{model}` sets",
    reason:
      "The backend passes the CUDA accelerator's parameters to ONNX Runtime, which refuses unknown names, so the model is UNAVAILABLE.",
  },
  (model, report) => reportUnknown(model, "cuda", report),
);

const sizes = ["trt_profile_min_shapes", "trt_profile_opt_shapes", "trt_profile_max_shapes"];

const halfProfile = modelRule(
  {
    code: "accelerator/tensorrt-profile",
    severity: "warning",
    judged: "source",
    message: "the sizes of the tensorrt accelerator of `{model}` lack {missing}",
    help: "write all three, or none",
    reason:
      "ONNX Runtime's TensorRT provider needs all three sizes. If only some are set, it ignores them and builds engines while it serves.",
  },
  (model, report) => {
    for (const { name, parameters, path } of gpuAccelerators(model)) {
      const missing = sizes.filter((key) => !Object.hasOwn(parameters, key)).map((key) => `\`${key}\``);
      if (name === "tensorrt" && missing.length > 0 && missing.length < sizes.length)
        report(model.at(path, "here"), { missing: missing.join(" and ") });
    }
  },
);

const withoutEffect = modelRule(
  {
    code: "accelerator/parameter-without-effect",
    severity: "warning",
    judged: "source",
    message: "parameter `{key}` of the {name} accelerator of `{model}` has no effect",
    reason:
      "The backend passes no parameters to OpenVINO, and overwrites four of CUDA's parameters with the model's own values or the defaults.",
  },
  (model, report) => {
    const tell = ({ name, key, path }: ReturnType<typeof parametersOf>[number], help: string): void =>
      report(model.at(path, "is not used"), { name, key, help });
    for (const one of parametersOf(gpuAccelerators(model)))
      if (Object.hasOwn(knownTo(model).get(one.name)?.overwritten ?? {}, one.key))
        tell(one, "Triton overwrites it: write it under `parameters` of the model");
    for (const one of parametersOf(acceleratorsOf(model, "cpu_execution_accelerator")))
      if (one.name === "openvino") tell(one, "Triton passes no parameters to OpenVINO");
  },
);

/** OpenVINO is not checked: the backend also appends it to sessions on GPUs, after their own accelerators. */
const withoutGpu = modelRule(
  {
    code: "accelerator/without-gpu",
    severity: "warning",
    judged: "source",
    message: "`{model}` has the GPU accelerator `{name}`, but all its instances run on CPUs",
    help: "run an instance group on GPUs, `kind: KIND_GPU`, or remove the accelerator",
    reason: "The ONNX Runtime backend only reads `gpu_execution_accelerator` for instances of KIND_GPU.",
  },
  (model, report) => {
    const groups = model.written.instance_group ?? [];
    if (groups.length === 0 || !groups.every(({ kind }) => kind === "KIND_CPU" || kind === "KIND_MODEL"))
      return;
    const instances = groups.map((_, i) => model.at(["instance_group", i, "kind"], "not on a GPU"));
    for (const { name, path } of acceleratorsOf(model, "gpu_execution_accelerator"))
      report([model.at([...path, "name"], "has no effect"), ...instances], { name });
  },
);

/** `execution_accelerators` of the ONNX Runtime backend; other backends ignore them. */
export const acceleratorRules: readonly Rule[] = [
  unknown,
  unknownParameter,
  unknownCudaParameter,
  wrongValue,
  halfProfile,
  withoutEffect,
  withoutGpu,
];
