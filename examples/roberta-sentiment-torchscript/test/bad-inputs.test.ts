import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { torchscript } from "../../../test/fixtures/models.ts";
import { compileFixture, makeProject, type ProjectFixture } from "../../../test/fixtures/project.ts";
import { exampleFile } from "./built-example.ts";

const read = (file: string): string => readFileSync(exampleFile(file), "utf8");

/** The example with one mistake in `models/stand-in.ts`, and with its assets next to it. */
let project: ProjectFixture;
beforeAll(() => {
  const asset = (file: string): Uint8Array =>
    readFileSync(exampleFile(`../sentiment-tensorrt/assets/${file}`));
  project = makeProject({
    "pipeline.config.ts": read("pipeline.config.ts"),
    "pipeline.ts": read("pipeline.ts"),
    "assets/model.pt": asset("model.pt"),
    "assets/model.onnx": asset("model.onnx"),
    "assets/traced.pt": torchscript("fixed-size"),
    "assets/tokenizer/tokenizer.json": asset("tokenizer/tokenizer.json"),
  });
});
afterAll(() => project?.remove());

const compileWith = async (
  what: string,
  instead: string,
): Promise<readonly { code: string; message: string }[]> => {
  const source = read("models/stand-in.ts")
    .replaceAll("../sentiment-tensorrt/assets", "assets")
    .replace("import { fp32, int64 }", "import { fp32, int64, uint32 }");
  expect(source).toContain(what);
  project.write("models/stand-in.ts", source.replace(what, instead));
  return (await compileFixture(project)).compilation.diagnostics;
};

test("the example itself has no diagnostics", async () => {
  expect(await compileWith("", "")).toEqual([]);
});

test.each([
  [
    "a label too few",
    '["negative", "positive"]',
    '["positive"]',
    "onnx/wrong-dim: stand-in of `classify` declares `logits` as FP32[batch, 1], but its file has FP32[batch, 2]",
  ],
  [
    "a dtype that LibTorch lacks",
    'attention_mask: int64("batch"',
    'attention_mask: uint32("batch"',
    "step-tensor/dtype: `attention_mask` of `classify` is UINT32[batch, seq]; the PyTorch backend in Triton 24.10 does not support UINT32",
  ],
  [
    "traced with other shapes",
    "assets/model.pt",
    "assets/traced.pt",
    "torchscript/fixed-size: `assets/traced.pt` of `classify` was traced to the constant sizes [2, 6, 1]: batches of other sizes fail (`mask = torch.reshape(torch.to(attention_mask, 6), [2, 6, 1])` in FixedSize)",
  ],
  [
    "no TorchScript",
    "assets/model.pt",
    "assets/model.onnx",
    "step-file/not-readable: `classify`: `assets/model.onnx` is not a TorchScript file: it is not a zip archive",
  ],
])("%s", async (_, what, instead, expected) => {
  const diagnostics = await compileWith(what, instead);
  expect(diagnostics.map(({ code, message }) => `${code}: ${message}`)).toContain(expected);
});
