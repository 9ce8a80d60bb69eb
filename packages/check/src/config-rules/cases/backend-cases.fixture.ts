import { releaseOf, type TritonRelease } from "@tritype/triton";
import { io, python, type RuleCase } from "./rule-case.fixture.ts";

const latest = { release: releaseOf("26.06") as TritonRelease };
const empty = { backends: [], repositoryAgents: [], cpuAccelerators: [], libraries: [] };
const nothing = { "m/1/x": "" };

export const backendCases: readonly RuleCase[] = [
  {
    code: "backend/unknown-platform",
    breaks: { config: `platform: "pytorch_libtorc" ${io}` },
    says: "`m` has no backend, and the platform `pytorch_libtorc` implies none",
    at: "platform",
    passes: [
      { config: `platform: "pytorch_libtorch" ${io}` },
      { config: `platform: "python" backend: "python" ${io}` },
      { config: 'platform: "ensemble"' },
    ],
  },
  ...(
    [
      ["onnx", 'write `backend: "onnxruntime"`'],
      ["onnxruntime", 'write `backend: "onnxruntime"`'],
      ["tensorrt", 'write `backend: "tensorrt"`'],
      ["trt", 'write `backend: "tensorrt"`'],
      ["TENSORRT_PLAN", 'write `backend: "tensorrt"`'],
      ["pytorch", 'write `backend: "pytorch"`'],
      ["PyTorch", 'write `backend: "pytorch"`'],
      ["python", 'write `backend: "python"`'],
      ["Python", 'write `backend: "python"`'],
      ["openvino", 'write `backend: "openvino"`'],
      ["onnxruntim", 'write `backend: "onnxruntime"`'],
      ["onnxruntime_onn", "did you mean `onnxruntime_onnx`?"],
      ["tensorflow", "write `platform` as `tensorflow_graphdef` or `tensorflow_savedmodel`"],
      ["my_own_thing", 'write `backend: "my_own_thing"`'],
      ["Ensemble", "did you mean `ensemble`?"],
    ] as const
  ).map(
    ([platform, help]): RuleCase => ({
      code: "backend/unknown-platform",
      breaks: { config: `platform: "${platform}" ${io}` },
      says: `\`m\` has no backend, and the platform \`${platform}\` implies none`,
      at: "platform",
      help,
      passes: [],
    }),
  ),
  {
    code: "backend/none",
    breaks: { config: io, files: nothing },
    says: "`m` does not say which backend runs it",
    at: "input",
    passes: [
      { config: io },
      { config: io, files: { "m/1/model.onnx": "" } },
      { config: `default_model_filename: "model.plan" ${io}`, files: nothing },
      { config: "", files: { "m.identity/config.pbtxt": "", "m.identity/1/x": "" } },
      { config: io, files: {}, options: { configsOnly: true } },
    ],
  },
  {
    code: "backend/none",
    breaks: { config: `ensemble_scheduling { } ${io}`, files: nothing },
    says: "`m` does not say which backend runs it",
    at: "ensemble_scheduling",
    passes: [{ config: `platform: "ensemble" ensemble_scheduling { } ${io}`, files: nothing }],
  },
  {
    code: "backend/of-ensemble",
    breaks: { config: 'platform: "ensemble" backend: "python"' },
    says: "ensemble `m` has backend `python`",
    at: "backend",
    passes: [{ config: 'platform: "ensemble"' }, { config: 'platform: "ensemble" backend: ""' }],
  },
  {
    code: "backend/platform-mismatch",
    breaks: { config: `backend: "onnxruntime" platform: "onnxruntime" ${io}` },
    says: "backend `onnxruntime` of `m` does not match platform `onnxruntime`",
    at: "platform",
    passes: [
      { config: `backend: "onnxruntime" platform: "onnxruntime_onnx" ${io}` },
      { config: `backend: "python" platform: "onnxruntime_onnx" ${io}` },
      { config: `backend: "pytorch" platform: "torch_aoti" ${io}`, options: latest },
    ],
  },
  {
    code: "backend/platform-mismatch",
    breaks: { config: `backend: "pytorch" platform: "torch_aoti" ${io}` },
    says: "backend `pytorch` of `m` does not match platform `torch_aoti`",
    at: "platform",
    passes: [{ config: `platform: "pytorch_libtorch" ${io}` }],
  },
  {
    code: "backend/platform-mismatch",
    breaks: { config: `backend: "tensorflow" ${io}` },
    says: "backend `tensorflow` of `m` does not match platform ``",
    at: "backend",
    passes: [
      { config: `backend: "tensorflow" platform: "tensorflow_savedmodel" ${io}` },
      { config: `backend: "tensorflow" ${io}`, files: { "m/1/model.savedmodel/x": "" } },
    ],
  },
  {
    code: "backend/misspelt",
    breaks: { config: `backend: "pythons" ${io}` },
    says: "Triton has no backend `pythons`",
    at: "backend",
    help: "did you mean `python`?",
    passes: [
      { config: python },
      { config: `backend: "Python" ${io}` },
      { config: `backend: "onnx" ${io}` },
      { config: `backend: "my_own_thing" ${io}` },
      { config: `backend: "pythons" ${io}`, files: { "m/libtriton_pythons.so": "", ...nothing } },
      { config: `backend: "pythons" ${io}`, files: { "m/1/libtriton_pythons.so": "" } },
    ],
  },
  ...(
    [
      ["Python", "python"],
      ["PyTorch", "pytorch"],
      ["TensorRT", "tensorrt"],
      ["onnx", "onnxruntime"],
      ["ONNX", "onnxruntime"],
      ["onnxruntime_onnx", "onnxruntime"],
      ["torch", "pytorch"],
      ["tensorrt_plan", "tensorrt"],
      ["tensorrt_llm", "tensorrtllm"],
    ] as const
  ).map(
    ([backend, name]): RuleCase => ({
      code: "backend/misnamed",
      breaks: { config: `backend: "${backend}" ${io}` },
      says: `Triton has no backend \`${backend}\``,
      at: "backend",
      help: `write \`backend: "${name}"\``,
      passes: [
        { config: `backend: "${name}" ${io}` },
        { config: `backend: "${backend}" runtime: "libx.so" ${io}` },
        { config: `backend: "${backend}" ${io}`, files: { [`m/1/libtriton_${backend}.so`]: "" } },
        {
          config: `backend: "${backend}" ${io}`,
          files: { [`m/libtriton_${backend}.so`]: "", ...nothing },
        },
        {
          config: `backend: "${backend}" ${io}`,
          options: { installed: { ...empty, backends: [backend] } },
        },
      ],
    }),
  ),
  {
    code: "backend/misnamed",
    breaks: {
      config: `backend: "Python" ${io}`,
      options: { installed: { ...empty, backends: ["python"] } },
    },
    says: "Triton has no backend `Python`",
    at: "backend",
    passes: [{ config: `backend: "nope" ${io}`, options: { installed: empty } }],
  },
  {
    code: "backend/python-runtime",
    breaks: { config: `runtime: "model.py" ${python}` },
    says: "the python backend has no runtime `model.py`",
    at: "runtime",
    passes: [{ config: `runtime: "model.py" backend: "vllm" ${io}` }],
  },
  {
    code: "backend/runtime-escapes",
    breaks: { config: `runtime: "../libtriton_x.so" ${python}` },
    says: "runtime `../libtriton_x.so` of `m` is outside of the backend's folder",
    at: "runtime",
    passes: [
      { config: `runtime: "libtriton_python.so" ${python}` },
      { config: `runtime: "a..so" ${python}` },
    ],
  },
  {
    code: "backend/python-file-name",
    breaks: { config: `default_model_filename: "model.txt" ${python}` },
    says: "the python backend cannot run `model.txt` of `m`: its name does not end in .py",
    at: "default_model_filename",
    passes: [
      { config: `default_model_filename: "other.py" ${python}` },
      { config: `default_model_filename: "model.txt" backend: "identity" ${io}` },
    ],
  },
];
