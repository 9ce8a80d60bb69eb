import { readFileSync } from "node:fs";
import { encodeUtf8 } from "@tritype/core";
import {
  custom,
  defineEnsemble,
  fp32,
  fp64,
  int64,
  openvino,
  optional,
  python,
  tensorrt,
  torchscript,
} from "@tritype/dsl";
import { releaseOf } from "@tritype/triton";
import { zipSync } from "fflate";
import { describe, expect, test } from "vitest";
import { doubleModel, encoderModel } from "../../../../test/fixtures/models.ts";
import { compileInMemory, emittedText } from "../compile.fixture.ts";

const torch = (name: string): Uint8Array =>
  readFileSync(new URL(`../../../../test/fixtures/torchscript/${name}.pt`, import.meta.url));
/** The parts of a TorchScript file that are read: `forward` with the given arguments after `self`. */
const archive = (given: string): Uint8Array =>
  zipSync({
    "m/data.pkl": encodeUtf8("c__torch__\nNet\n"),
    "m/code/__torch__.py": encodeUtf8(
      `class Net(Module):\n  def forward(self: __torch__.Net, ${given}) -> Tensor:\n    return x\n`,
    ),
  });
const files: Readonly<Record<string, Uint8Array>> = {
  "double.pt": torch("double"),
  "fixed-size.pt": torch("fixed-size"),
  "optional.pt": archive("x: Tensor, mask: Optional[Tensor]=None"),
  "defaults.pt": archive("x: Tensor, y: Tensor=CONSTANTS.c0"),
  "classify.pt": torch("classify"),
  "weights.pt": torch("weights"),
  "double.onnx": doubleModel(),
  "open.onnx": doubleModel("n"),
  "encoder.onnx": encoderModel(),
  "m.xml": encodeUtf8('<?xml version="1.0"?><net name="m"></net>'),
  "m.bin": new Uint8Array(4),
  "alone.xml": encodeUtf8("<net></net>"),
  plan: new Uint8Array([0x66, 0x74, 0x72, 0x74, 0, 0, 0, 0]),
  "described.plan": new Uint8Array([16, 0, 0, 0, ...encodeUtf8('{"imgsz":[8,8]} ftrt'), 0, 0]),
  "lfs.plan": encodeUtf8("version https://git-lfs.github.com/spec/v1\n"),
  "steps/m/model.py": encodeUtf8("class TritonPythonModel: ...\n"),
  "steps/m/__pycache__/model.cpython-311.pyc": new Uint8Array(1),
  "steps/m/.DS_Store": new Uint8Array(1),
  "steps/m/data/a.txt": encodeUtf8("a"),
};

const io = { inputs: { x: fp32("batch", 4) }, outputs: { y: fp32("batch", 4) } } as const;
const ids = {
  inputs: { input_ids: int64("batch", "seq"), attention_mask: int64("batch", "seq") },
  outputs: { last_hidden_state: fp32("batch", "seq", 8) },
} as const;

/**
 * Compiles an ensemble of one step with the step's own tensors; options may have values that TypeScript would refuse.
 */
const compiled = (
  kind: (options: never) => unknown,
  options: Readonly<Record<string, unknown>>,
  {
    target = "24.10",
    profiles = {},
  }: { readonly target?: string; readonly profiles?: Readonly<Record<string, object>> } = {},
) => {
  const step = kind({ name: "m", ...io, ...options } as never) as (wires: unknown) => never;
  const inputs = (options["inputs"] ?? io.inputs) as typeof io.inputs;
  const ensemble = defineEnsemble({ name: "e", maxBatchSize: 4, inputs, run: (wires) => step(wires) });
  return compileInMemory([ensemble], files, {
    release: releaseOf(target) ?? expect.fail(`no release ${target}`),
    profiles: profiles as never,
  });
};

describe("their diagnostics", () => {
  test.each<
    [string, (options: never) => unknown, Readonly<Record<string, unknown>>, readonly RegExp[], string?]
  >([
    ["a sound TorchScript file", torchscript, { file: "double.pt" }, []],
    [
      "a parameter's name",
      torchscript,
      { file: "double.pt", parameters: { INFERENCE_MOD: true } },
      [/has no parameter `INFERENCE_MOD`/],
    ],
    [
      "a parameter's value",
      torchscript,
      { file: "double.pt", parameters: { INFERENCE_MODE: 3 } },
      [/is `3`; it must be true or false/],
    ],
    [
      "a parameter in a profile",
      torchscript,
      { file: "double.pt", profiles: { cpu: { parameters: { X: 1 } } } },
      [/has no parameter `X`/],
    ],
    [
      "one input too many",
      torchscript,
      { file: "double.pt", inputs: { x: fp32("batch", 4), z: fp32("batch", 4) } },
      [/declares 2 inputs \(x, z\)/],
    ],
    [
      "names that differ from forward's",
      torchscript,
      { file: "double.pt", naming: "forward", inputs: { z: fp32("batch", 4) } },
      [/`forward` in `double.pt` takes 1 argument \(x\)/],
    ],
    [
      "an argument that may be None: LibTorch does not accept such a module",
      torchscript,
      { file: "optional.pt" },
      [/takes `mask: Optional\[Tensor\]`, which the PyTorch backend cannot pass/],
    ],
    [
      "an argument with a default: LibTorch passes all",
      torchscript,
      { file: "defaults.pt" },
      [/takes 2 arguments \(x, y\)/],
    ],
    [
      "traced to constant sizes",
      torchscript,
      { file: "fixed-size.pt", ...ids, outputs: { logits: fp32("batch", 2) } },
      [/was traced to the constant sizes \[2, 6, 1\]/],
    ],
    [
      "an optional input",
      torchscript,
      { file: "double.pt", inputs: { x: optional(fp32("batch", 4)) } },
      [/is optional, which the PyTorch backend/],
    ],
    [
      "the version that is broken",
      torchscript,
      { versions: { 1: { file: "double.pt" }, 2: { file: "weights.pt" } } },
      [/^version 2: .* contains weights/],
    ],
    [
      "a stand-in with different sizes",
      torchscript,
      { file: "classify.pt", standIn: "double.onnx", ...ids, outputs: { logits: fp32("batch", 2) } },
      [
        /^stand-in of `m` does not declare `x`/,
        /^stand-in of `m` declares the input/,
        /^stand-in of `m` declares the input/,
        /^stand-in of `m` declares the output/,
      ],
    ],
    [
      "a stand-in that does not exist",
      torchscript,
      { file: "double.pt", standIn: "gone.onnx" },
      [/^stand-in of `m`: `gone.onnx` does not exist/],
    ],
    [
      "a stand-in for only one version",
      torchscript,
      {
        versions: { 1: { file: "double.pt" }, 2: { file: "double.pt", standIn: "double.onnx" } },
        profiles: { cpu: { useStandIn: true } },
      },
      [/the profile `cpu` uses the stand-in/],
    ],
    [
      "stand-ins that differ",
      torchscript,
      {
        versions: {
          1: { file: "double.pt", standIn: "double.onnx" },
          2: { file: "double.pt", standIn: "open.onnx" },
        },
      },
      [/`y` of `m` is FP32\[batch, 4\] in version 1, but/],
    ],
    ["a plan", tensorrt, { file: "plan" }, []],
    [
      "a plan that is a pointer",
      tensorrt,
      { file: "lfs.plan" },
      [/is not a TensorRT plan: it is a Git LFS pointer/],
    ],
    ["an ONNX file for a plan", tensorrt, { file: "double.onnx" }, [/it is an ONNX model/]],
    ["a TorchScript file for a plan", tensorrt, { file: "double.pt" }, [/it is a zip archive/]],
    [
      "a plan with Ultralytics' description in front",
      tensorrt,
      { file: "described.plan" },
      [/the plan is preceded by a description of 20 bytes, as written by Ultralytics/],
    ],
    ["neither a plan nor a way to build one", tensorrt, {}, [/has neither `file` nor `build`/]],
    ["both", tensorrt, { file: "plan", build: { onnx: "double.onnx" } }, [/has both `file` and `build`/]],
    [
      "a plan of FP64",
      tensorrt,
      { file: "plan", outputs: { y: fp64("batch", 4) } },
      [/TensorRT in Triton 24.10 does not support FP64/],
    ],
    [
      "INT64 before TensorRT 10",
      tensorrt,
      { file: "plan", inputs: { x: int64("batch", 4) } },
      [/TensorRT in Triton 24.04 does not support INT64/],
      "24.04",
    ],
    [
      "BF16 before TensorRT 10",
      tensorrt,
      { build: { onnx: "double.onnx", precision: "bf16" } },
      [/the precision "bf16"/],
      "24.04",
    ],
    [
      "no fixed size",
      tensorrt,
      { build: { onnx: "open.onnx" }, inputs: { x: fp32("batch", -1) }, outputs: { y: fp32("batch", -1) } },
      [/one of its dims is -1/],
    ],
    [
      "sizes out of order",
      tensorrt,
      { build: { onnx: "encoder.onnx", sizes: { seq: { min: 8, opt: 4, max: 16 } } }, ...ids },
      [/the sizes of `seq` are 8, 4, 16/],
    ],
    [
      "sizes for a dim that does not exist",
      tensorrt,
      { build: { onnx: "double.onnx", sizes: { len: { min: 1, opt: 1, max: 1 } } } },
      [/names `len`, which is not a dim/],
    ],
    [
      "a batch smaller than the model's",
      tensorrt,
      { build: { onnx: "double.onnx", sizes: { batch: { min: 1, opt: 2, max: 2 } } } },
      [/batches of at most 2, but the model accepts 4/],
    ],
    [
      "a batch larger than a request's",
      tensorrt,
      { build: { onnx: "double.onnx", sizes: { batch: { min: 2, opt: 4, max: 4 } } } },
      [/batches of at least 2, but requests may have one row/],
    ],
    [
      "a level of 9",
      tensorrt,
      { build: { onnx: "double.onnx", optimizationLevel: 9 } },
      [/`optimizationLevel` is 9/],
    ],
    [
      "a strategy before 25.05",
      tensorrt,
      { file: "plan", parameters: { execution_context_allocation_strategy: "STATIC" } },
      [/has no parameter `execution_context/],
    ],
    [
      "a strategy since 25.05",
      tensorrt,
      { file: "plan", parameters: { execution_context_allocation_strategy: "STATIC" } },
      [],
      "25.05",
    ],
    ["a an OpenVINO model", openvino, { file: "m.xml" }, []],
    ["without its weights", openvino, { file: "alone.xml" }, [/`alone.bin` does not exist/]],
    ["an ONNX file for OpenVINO", openvino, { file: "double.onnx" }, [/it is an ONNX model/]],
    ["any backend, with only a name", custom, { backend: "repeat" }, [/`m` has no files for version 1/]],
    ["any backend, with a file", custom, { backend: "repeat", file: "double.onnx" }, []],
    [
      "a file next to that of a version, which has the first one's name",
      custom,
      {
        backend: "repeat",
        versions: {
          1: { file: "m.bin", files: { plan: "plan" } },
          2: { file: "plan", files: { "m.bin": "m.bin" } },
        },
      },
      [/^version 2: .*`m.bin`.*another file has that name/],
    ],
    [
      "a file next to that of a version, with a name that is free there",
      custom,
      { backend: "repeat", versions: { 1: { file: "m.bin" }, 2: { file: "plan", files: { plan: "plan" } } } },
      [],
    ],
    [
      "a backend that no image has",
      custom,
      { backend: "mine", file: "double.onnx" },
      [/runs on the backend `mine`, which nvcr/],
    ],
    [
      "a backend name in capitals",
      custom,
      { backend: "Python" },
      [/has the backend "Python", but backend names are compared/],
    ],
    [
      "files that do not exist",
      custom,
      { backend: "repeat", files: { a: "gone" } },
      [/`gone` does not exist/],
    ],
    [
      "a name taken",
      python,
      { folder: "steps/m", files: { "data/a.txt": "m.xml" } },
      [/another file has that name/],
    ],
    [
      "file and folder",
      python,
      { file: "steps/m/model.py", folder: "steps/m" },
      [/has both `file` and `folder`/],
    ],
    ["a folder without model.py", python, { folder: "steps" }, [/`steps\/model.py` does not exist/]],
    [
      "an option of a different kind",
      python,
      { folder: "steps/m", standIn: "double.onnx" },
      [/`m` has no option `standIn`/],
    ],
  ])("%s", (_, kind, options, expected, target = "24.10") => {
    const { diagnostics } = compiled(kind, options, { target, profiles: { cpu: {} } });
    expect(diagnostics.map(({ message }) => message)).toEqual(
      expected.map((one) => expect.stringMatching(one) as string),
    );
  });
});

test("copying a folder of Python code leaves out files that tools create in it", () => {
  const { build } = compiled(python, { folder: "steps/m/" });
  const paths = [...(build?.tree.keys() ?? [])].filter((path) => path.startsWith("model_repository/m/1/"));
  expect(paths.toSorted()).toEqual(["model_repository/m/1/data/a.txt", "model_repository/m/1/model.py"]);
});

test("a profile that uses the stand-in keeps its own fields and drops those for the backend", () => {
  const compilation = compiled(
    torchscript,
    {
      file: "double.pt",
      standIn: "double.onnx",
      instanceGroup: [{ kind: "gpu", count: 3 }],
      parameters: { INFERENCE_MODE: true },
      dynamicBatching: { maxQueueDelay: "1ms" },
      inputFields: { x: { allowRaggedBatch: false } },
      profiles: { cpu: { useStandIn: true, parameters: { intra_op_thread_count: 1 } } },
    },
    { profiles: { cpu: {}, gpu: {} } },
  );
  expect(compilation.diagnostics).toEqual([]);
  const cpu = emittedText(compilation, "model_repository/m/configs/cpu.pbtxt");
  expect(cpu).toContain('backend: "onnxruntime"');
  expect(cpu).toContain("KIND_AUTO");
  expect(cpu).toContain("intra_op_thread_count");
  expect(cpu).toContain("max_queue_delay_microseconds: 1000");
  expect(cpu).not.toContain("INFERENCE_MODE");
  expect(emittedText(compilation, "model_repository/m/configs/gpu.pbtxt")).toContain('backend: "pytorch"');
});
