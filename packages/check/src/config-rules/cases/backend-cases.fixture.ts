import { releaseOf, type TritonRelease } from "@tritype/triton";
import { io, python, type RuleCase } from "./rule-case.fixture.ts";

const latest = { release: releaseOf("26.06") as TritonRelease };
const nothing = { "m/1/x": "" };

export const backendCases: readonly RuleCase[] = [
  {
    code: "backend/unknown-platform",
    breaks: { config: `platform: "pytorch_libtorc" ${io}` },
    says: "`m` has no backend, and `pytorch_libtorc` names none",
    at: "platform",
    passes: [
      { config: `platform: "pytorch_libtorch" ${io}` },
      { config: `platform: "python" backend: "python" ${io}` },
      { config: 'platform: "ensemble"' },
    ],
  },
  {
    code: "backend/none",
    breaks: { config: io, files: nothing },
    says: "nothing says which backend runs `m`",
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
    says: "nothing says which backend runs `m`",
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
    says: "backend `onnxruntime` of `m` does not go with platform `onnxruntime`",
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
    says: "backend `pytorch` of `m` does not go with platform `torch_aoti`",
    at: "platform",
    passes: [{ config: `platform: "pytorch_libtorch" ${io}` }],
  },
  {
    code: "backend/platform-mismatch",
    breaks: { config: `backend: "tensorflow" ${io}` },
    says: "backend `tensorflow` of `m` does not go with platform ``",
    at: "backend",
    passes: [
      { config: `backend: "tensorflow" platform: "tensorflow_savedmodel" ${io}` },
      { config: `backend: "tensorflow" ${io}`, files: { "m/1/model.savedmodel/x": "" } },
    ],
  },
  {
    code: "backend/misspelt",
    breaks: { config: `backend: "Python" ${io}` },
    says: "Triton has no backend `Python`",
    at: "backend",
    passes: [
      { config: python },
      { config: `backend: "my_own_thing" ${io}` },
      { config: `backend: "pythons" ${io}`, files: { "m/libtriton_pythons.so": "", ...nothing } },
    ],
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
    says: "runtime `../libtriton_x.so` of `m` leads out of the backend's folder",
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
