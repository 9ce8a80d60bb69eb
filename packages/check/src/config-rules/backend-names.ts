import { didYouMean } from "@tritype/core";
import { neededBackend } from "@tritype/triton";
import type { ModelContext } from "../model-context.ts";
import { servedVersions } from "../model/served-versions.ts";
import { modelRule, type Rule } from "../rule.ts";

/** Backends that most servers have. */
export const usualBackends: readonly string[] = [
  "onnxruntime",
  "python",
  "pytorch",
  "tensorrt",
  "openvino",
  "tensorflow",
  "identity",
  "vllm",
  "tensorrtllm",
  "dali",
  "fil",
];

/** Names that people use for a backend but that refer to something else. */
const misnomers: ReadonlyMap<string, string> = new Map([
  ["onnx", "onnxruntime"],
  ["onnxruntime_onnx", "onnxruntime"],
  ["onnx_runtime", "onnxruntime"],
  ["ort", "onnxruntime"],
  ["torch", "pytorch"],
  ["libtorch", "pytorch"],
  ["pytorch_libtorch", "pytorch"],
  ["trt", "tensorrt"],
  ["tensorrt_plan", "tensorrt"],
  ["tensorrt_llm", "tensorrtllm"],
  ["tensorflow_graphdef", "tensorflow"],
  ["tensorflow_savedmodel", "tensorflow"],
  ["python3", "python"],
]);

/** The backend that a name clearly refers to: the backend's name with different capitalization, or a common alias. */
export const meantBackend = (name: string): string | undefined => {
  const lower = name.toLowerCase();
  return usualBackends.includes(lower) ? lower : misnomers.get(lower);
};

/** Whether the model has its backend's library or `runtime` in its own folder or in that of a served version. */
export const bringsBackend = (model: ModelContext): boolean => {
  const paths = ["", ...servedVersions(model).map((version) => `${version}/`)].flatMap((folder) =>
    (model.list(folder.slice(0, -1)) ?? []).flatMap(({ name, kind }) =>
      kind === "file" ? folder + name : [],
    ),
  );
  return neededBackend(model.config, paths) === undefined;
};

/** The backend that the model's `backend` field means, if the name there is wrong. */
export const misnamedBackend = (model: ModelContext): string | undefined => {
  const { backend = "", runtime = "" } = model.config;
  const meant = meantBackend(backend);
  if (meant === undefined || meant === backend || runtime !== "") return undefined;
  return isThere(model, backend) ? undefined : meant;
};

const isThere = (model: ModelContext, backend: string): boolean =>
  model.options.installed?.backends.includes(backend) === true || bringsBackend(model);

const misnamed = modelRule(
  {
    code: "backend/misnamed",
    triton: ["33"],
    atLoad: true,
    reason:
      "Triton looks for a library with exactly that name, and the name is case-sensitive; file extensions and platforms are not backend names.",
    words:
      "unable to find backend library for backend '{backend}', try specifying runtime on the model configuration.",
    message: "Triton has no backend `{backend}`",
    help: 'write `backend: "{meant}"`',
  },
  (model, report) => {
    const { backend = "" } = model.config;
    const meant = misnamedBackend(model);
    if (meant === undefined) return;
    const looksFor = `looks for \`libtriton_${backend}.so\``;
    report(model.at(["backend"], looksFor), { backend, meant });
  },
);

const misspelt = modelRule(
  {
    code: "backend/misspelt",
    triton: ["29", "33"],
    severity: "warning",
    atLoad: true,
    reason:
      "Triton looks for a library with exactly that name. The name may be that of your own backend; without the library, the model is UNAVAILABLE.",
    message: "Triton has no backend `{backend}`",
    help: "did you mean `{near}`?",
  },
  (model, report) => {
    const { backend = "", runtime = "" } = model.config;
    if (backend === "" || runtime !== "" || model.options.installed || meantBackend(backend)) return;
    const near = didYouMean(backend, usualBackends);
    if (near === undefined || bringsBackend(model)) return;
    report(model.at(["backend"], `looks for \`libtriton_${backend}.so\``), { backend, near });
  },
);

export const backendNameRules: readonly Rule[] = [misnamed, misspelt];
