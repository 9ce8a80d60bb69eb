import { didYouMean } from "@tritype/core";
import {
  acceleratorParameterHelp,
  acceleratorValueProblem,
  type OnnxAccelerator,
  onnxAccelerators,
} from "@tritype/triton";
import type { FieldPath, ModelContext } from "../../model-context.ts";
import { modelRule, type Rule } from "../../rule.ts";
import { onGpu } from "./session-parameters.ts";
import { nearHelp } from "../../model/near-help.ts";

const knownTo = ({ options }: ModelContext): ReadonlyMap<string, OnnxAccelerator> =>
  onnxAccelerators(options.release.container);

const namesOn = (model: ModelContext, side: OnnxAccelerator["side"]): readonly string[] =>
  [...knownTo(model)].flatMap(([name, one]) => (one.side === side ? name : []));

const meant = (name: string, known: readonly string[]): { readonly help?: string } =>
  nearHelp(didYouMean(name, known));

interface PlacedAccelerator {
  readonly name: string;
  readonly parameters: Readonly<Record<string, string>>;
  readonly path: FieldPath;
}

type Side = "gpu_execution_accelerator" | "cpu_execution_accelerator";

const acceleratorsOf = ({ config }: ModelContext, side: Side): readonly PlacedAccelerator[] => {
  if (config.backend !== "onnxruntime") return [];
  const all = config.optimization?.execution_accelerators?.[side] ?? [];
  return all.map(({ name = "", parameters = {} }, index) => ({
    name,
    parameters,
    path: ["optimization", "execution_accelerators", side, index],
  }));
};

const gpuAccelerators = (model: ModelContext): readonly PlacedAccelerator[] =>
  onGpu(model) ? acceleratorsOf(model, "gpu_execution_accelerator") : [];

const unknown = modelRule(
  {
    code: "accelerator/unknown",
    triton: ["161"],
    judged: "recorded",
    words: "unknown Execution Accelerator '{name}' is requested",
    message:
      "`{model}` uses the {device} accelerator `{name}`, which the server's ONNX Runtime backend does not have: {known}",
    reason: "Accelerator names are compared exactly; GPU accelerators only apply to KIND_GPU instances.",
  },
  (model, report) => {
    const check = (device: string, found: readonly PlacedAccelerator[], known: readonly string[]) => {
      for (const { name, path } of found) {
        if (known.includes(name)) continue;
        report({
          with: { model: model.name, device, name, known: known.join(", ") || "it has no accelerators" },
          labels: [model.at([...path, "name"], "here")],
          ...meant(name, known),
        });
      }
    };
    const cpuNames = model.options.installed?.cpuAccelerators ?? namesOn(model, "cpu");
    check("GPU", gpuAccelerators(model), namesOn(model, "gpu"));
    check("CPU", acceleratorsOf(model, "cpu_execution_accelerator"), cpuNames);
  },
);

const unknownParameter = modelRule(
  {
    code: "accelerator/tensorrt-unknown-parameter",
    triton: ["162"],
    judged: "source",
    message: "the tensorrt accelerator of `{model}` has no parameter `{key}`",
    reason: "The backend refuses unknown parameters of the TensorRT accelerator.",
  },
  (model, report) => {
    const found = gpuAccelerators(model);
    const tensorrt = found.length === 0 ? undefined : knownTo(model).get("tensorrt");
    if (tensorrt === undefined) return;
    for (const { name, parameters, path } of found)
      for (const key of name === "tensorrt" ? Object.keys(parameters) : []) {
        if (Object.hasOwn(tensorrt.parameters, key)) continue;
        const help = acceleratorParameterHelp(tensorrt, key);
        report({
          with: { model: model.name, key },
          labels: [model.at([...path, "parameters", key], "here")],
          ...(help === undefined ? {} : { help }),
        });
      }
  },
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
    for (const { name, parameters, path } of gpuAccelerators(model)) {
      const known = knownTo(model).get(name);
      const kinds = new Map(Object.entries({ ...known?.parameters, ...known?.overwritten }));
      for (const [key, value] of Object.entries(parameters)) {
        const wanted = acceleratorValueProblem(value, kinds.get(key) ?? "text");
        if (wanted === undefined) continue;
        report({
          with: { model: model.name, name, key, value, wanted },
          labels: [model.at([...path, "parameters", key], "here")],
        });
      }
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
      "The backend passes the parameters of the CUDA accelerator to ONNX Runtime, which refuses unknown names: the model is UNAVAILABLE.",
  },
  (model, report) => {
    const found = gpuAccelerators(model);
    const cuda = found.length === 0 ? undefined : knownTo(model).get("cuda");
    if (cuda === undefined) return;
    const known = [...Object.keys({ ...cuda.parameters, ...cuda.overwritten }), ...cuda.reserved];
    for (const { name, parameters, path } of found)
      for (const key of name === "cuda" ? Object.keys(parameters) : []) {
        if (known.includes(key)) continue;
        const help = acceleratorParameterHelp(cuda, key);
        report({
          with: { model: model.name, key },
          labels: [model.at([...path, "parameters", key], "here")],
          ...(help === undefined ? {} : { help }),
        });
      }
  },
);

const withoutEffect = modelRule(
  {
    code: "accelerator/parameter-without-effect",
    judged: "source",
    message: "parameter `{key}` of the {name} accelerator of `{model}` has no effect",
    reason:
      "The backend passes no parameters to OpenVINO, and overwrites four of CUDA's with those of the model itself or their defaults.",
  },
  (model, report) => {
    const check = ({ name, parameters, path }: PlacedAccelerator, key: string, help: string): void => {
      if (Object.hasOwn(parameters, key))
        report({
          with: { model: model.name, name, key },
          labels: [model.at([...path, "parameters", key], "is not used")],
          help,
        });
    };
    for (const one of gpuAccelerators(model))
      for (const key of Object.keys(knownTo(model).get(one.name)?.overwritten ?? {}))
        check(one, key, `write \`${key}\` under \`parameters\` of the model itself`);
    for (const one of acceleratorsOf(model, "cpu_execution_accelerator"))
      for (const key of one.name === "openvino" ? Object.keys(one.parameters) : [])
        check(one, key, "remove it");
  },
);

/** `execution_accelerators` of the ONNX Runtime backend; other backends ignore them. */
export const acceleratorRules: readonly Rule[] = [
  unknown,
  unknownParameter,
  unknownCudaParameter,
  wrongValue,
  withoutEffect,
];
