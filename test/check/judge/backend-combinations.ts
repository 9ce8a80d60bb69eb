import type { ModelConfig } from "@tritype/triton";
import * as fc from "fast-check";
import type { Draft } from "./draft.ts";
import { plainModel } from "./legal-single.ts";

const files = [
  "model.xml",
  "model.plan",
  "model.pt",
  "model.onnx",
  "model.savedmodel/",
  "model.graphdef",
  "other.bin",
];
const platforms = [
  "ensemble",
  "foo",
  "tensorrt_plan",
  "tensorflow_graphdef",
  "pytorch_libtorch",
  "onnxruntime_onnx",
];

const io: ModelConfig = {
  input: [{ name: "I", data_type: "TYPE_FP32", dims: [2] }],
  output: [{ name: "O", data_type: "TYPE_FP32", dims: [2] }],
};
const steps: ModelConfig = {
  ensemble_scheduling: {
    step: [{ model_name: "a", model_version: -1, input_map: { I: "I" }, output_map: { O: "O" } }],
  },
};

/**
 * Platform, backend, file name, name of the model and contents of its version folder: Triton derives each from the
 * others.
 */
export const backendCombinations: fc.Arbitrary<Draft> = fc
  .record({
    name: fc.constantFrom("m", "m.fil", "m.tensorrt", "m.nope"),
    platform: fc.constantFrom("", ...platforms),
    backend: fc.constantFrom("", "", "fil", "tensorrt", "tensorflow", "pytorch"),
    file: fc.constantFrom("", "", ...files.map((file) => file.replace("/", ""))),
    found: fc.subarray(files, { maxLength: 2 }),
    ensemble: fc.boolean(),
  })
  .map(({ name, platform, backend, file, found, ensemble }) => {
    const config: ModelConfig = {
      ...(platform === "" ? {} : { platform }),
      ...(backend === "" ? {} : { backend }),
      ...(file === "" ? {} : { default_model_filename: file }),
      ...io,
      ...(ensemble || platform === "ensemble" ? steps : {}),
    };
    const inside = Object.fromEntries(found.map((one) => [`1/${one}`, ""]));
    return [plainModel("a", { backend: "fil", ...io }), { name, config, files: { "1/": "", ...inside } }];
  });
