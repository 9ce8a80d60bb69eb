import { addFiles, all, changeModel, clear, type Edit, nothing, each, set, setVersions } from "./draft.ts";
import type { Fault } from "./fault.ts";
import { legalEnsemble } from "./legal-ensemble.ts";
import { legalSingle } from "./legal-single.ts";

const bare = legalSingle.map(clear("backend", "platform"));
const rename = (name: string): Edit => changeModel((model) => ({ ...model, name }));
const pair = (backend: string, platform: string): Edit => set({ backend, platform });
const found = (...files: readonly string[]): Edit =>
  all(setVersions("1/"), addFiles(Object.fromEntries(files.map((file) => [`1/${file}`, ""]))));

/** Rules 24 to 36: backend, platform, runtime. */
export const backendFaults: readonly Fault[] = [
  {
    rule: "24",
    about: "a platform alone",
    on: bare,
    says: /unexpected platform type '.*' for /,
    refused: each("python", "foo", "ensemble ", "openvino", "TENSORRT_PLAN").map((platform) =>
      set({ platform }),
    ),
    accepted: each("tensorrt_plan", "pytorch_libtorch", "tensorflow_savedmodel").map((platform) =>
      set({ platform }),
    ),
  },
  {
    rule: "25",
    about: "an ensemble with a backend",
    on: legalEnsemble,
    says: /must have platform type 'ensemble' and empty backend type/,
    refused: each("python", "ensemble", "openvino").map((backend) => set({ backend })),
    accepted: each(set({ backend: "" })),
  },
  {
    rule: "26",
    about: "nothing tells the backend",
    on: bare,
    says: /Could not determine backend for model|unable to find backend library/,
    refused: each(rename("m"), all(rename("m"), found("weights.bin")), rename("a.b.fil")),
    accepted: each(
      rename("x.openvino"),
      rename("a-b.fil"),
      all(rename("m"), found("model.xml")),
      all(rename("m"), set({ default_model_filename: "model.xml" })),
    ),
  },
  {
    rule: "26",
    about: "an ensemble without its platform",
    on: legalEnsemble,
    says: /Could not determine backend for model/,
    refused: each(clear("platform")),
    accepted: each(nothing),
  },
  {
    rule: "27",
    about: "backend and platform that are no pair",
    on: bare,
    says: /unexpected 'platform' and 'backend' pair, got:/,
    refused: each(
      ["tensorrt", "onnxruntime_onnx"],
      ["pytorch", "tensorrt_plan"],
      ["tensorflow", "tensorrt_plan"],
      ["tensorflow", ""],
      ["tensorrt", "tensorrt"],
      ["onnxruntime", "pytorch_libtorch"],
      ["pytorch", "foo"],
    ).map(([backend, platform]) => pair(backend, platform)),
    accepted: each(
      ["tensorrt", "tensorrt_plan"],
      ["tensorrt", ""],
      ["pytorch", ""],
      ["pytorch", "pytorch_libtorch"],
      ["tensorflow", "tensorflow_graphdef"],
      ["tensorflow", "tensorflow_savedmodel"],
    ).map(([backend, platform]) => pair(backend, platform)),
  },
  {
    rule: "29",
    about: "unknown backends take any platform",
    on: bare,
    accepted: each("onnxruntime_onnx", "anything", "tensorrt_plan").map((platform) =>
      pair("openvino", platform),
    ),
  },
  {
    rule: "30",
    about: "the backend of the version folder's files",
    on: bare,
    says: /Could not determine backend|unexpected 'platform' and 'backend' pair|unable to find backend library/,
    refused: each(all(rename("m"), found("model.PLAN")), all(rename("m"), found("model.bin", "Model.xml"))),
    accepted: each(
      all(rename("m"), found("model.plan")),
      all(rename("m"), found("model.xml", "model.pt")),
      all(rename("m"), found("model.savedmodel/")),
      all(rename("m"), found("model.graphdef")),
      all(rename("m"), found("model.pt")),
    ),
  },
  {
    rule: "33",
    about: "no such backend",
    on: bare,
    says: /unable to find backend library for backend '.*'/,
    refused: each("Python", "nope", "OpenVINO", "onnx", "tensorrt_plan", "tensorrtt").map((backend) =>
      set({ backend }),
    ),
    accepted: each("openvino", "fil", "vllm").map((backend) => set({ backend })),
  },
  {
    rule: "34",
    about: "a runtime that is nowhere",
    on: bare,
    says: /unable to find backend library '.*' for model/,
    refused: each("libother.so", "libtriton_nope.so").map((runtime) => set({ backend: "openvino", runtime })),
    accepted: each(set({ backend: "openvino", runtime: "libtriton_openvino.so" })),
  },
  {
    rule: "35",
    about: "a runtime outside",
    on: bare,
    says: /escapes backend directory/,
    refused: each("../fil/libtriton_fil.so", "../tensorrt/libtriton_tensorrt.so").map((runtime) =>
      set({ backend: "openvino", runtime }),
    ),
    accepted: each(set({ backend: "openvino", runtime: "libtriton_openvino.so" })),
  },
  {
    rule: "36",
    about: "a runtime of Python where there is none",
    on: bare,
    says: /unable to find Python backend based backend library 'model.py'/,
    refused: each("python", "openvino", "nope").map((backend) => set({ backend, runtime: "model.py" })),
    accepted: each(set({ backend: "openvino", runtime: "" })),
  },
];
