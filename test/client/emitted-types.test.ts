import { basename } from "node:path";
import { writeBuild } from "@tritype/project";
import { afterAll, expect, test } from "vitest";
import { compileFixture, makeProject } from "../fixtures/project.ts";
import { diagnosticsOf, messageOf, programOf } from "../types/type-check.ts";

const definition = `
import { bool, bytes, defineEnsemble, fp16, fp32, int64, onnx, uint8 } from "tritype";
const model = onnx({
  name: "model",
  file: "model.onnx",
  inputs: { x: fp32("batch", 3, 1, -1) },
  outputs: { y: fp32("batch", 3) },
});
export const kinds = defineEnsemble({
  name: "all-kinds",
  maxBatchSize: 8,
  inputs: {
    "some text": bytes("batch", 1), ids: int64("batch", "seq"), flag: bool("batch"), image: uint8("batch", 2, 1, 3), half: fp16("batch", -1),
  },
  run: (x) => ({
    text_out: x["some text"], ids_out: x.ids, flag_out: x.flag, image_out: x.image, half_out: x.half,
  }),
});
void model;
`;
/** The emitted declarations match what \`tritype\` says about the definition. */
const agreement = `
import type { InferInputs, InferOutputs } from "tritype";
import type { kinds } from "./pipeline.ts";
import { allKindsClient, allKindsContract, type AllKindsInputs, type AllKindsOutputs, ClientError } from "./build/client/all-kinds.js";
import { createHttpClient } from "./build/client/core/kserve.js";
export const inputs = (given: InferInputs<typeof kinds>): AllKindsInputs => given;
export const definition = (given: AllKindsInputs): InferInputs<typeof kinds> => given;
export const shaped: AllKindsInputs = {
  "some text": { data: [new Uint8Array([1]), "b"], shape: [2, 1] },
  ids: { data: [1n, 2], shape: [2, 1] },
  flag: { data: [true, false] as readonly boolean[], shape: [2, 1] },
  image: { data: Array.from({ length: 12 }, () => 0), shape: [2, 2, 1, 3] },
  half: { data: [0.5, 1], shape: [2, 1] },
};
export const outputs = (given: AllKindsOutputs): { readonly [K in keyof AllKindsOutputs]: Pick<InferOutputs<typeof kinds>[K], "shape" | "dtype"> } => given;
export const back = (given: InferOutputs<typeof kinds>): AllKindsOutputs => given;
export const ask = async (): Promise<readonly [number, 1]> => {
  const client = allKindsClient({ url: "http://127.0.0.1:8000", retries: 1 });
  const { flag_out } = await client.infer({ "some text": ["a"], ids: [[1n, 2]], flag: [true], image: [[[1, 2, 3], [1, 2, 3]]], half: [[0.5]] }, { outputs: ["flag_out"] });
  return flag_out.shape;
};
export const same = createHttpClient({ url: "", ensemble: allKindsContract }).infer;
export const kind = (error: unknown) => error instanceof ClientError && error.kind === "contract";
`;
const wrong = `
import { allKindsClient } from "./build/client/all-kinds.js";
const client = allKindsClient({ url: "" });
export const missing = client.infer({ "some text": ["a"] });
export const unknown = client.infer({ "some text": ["a"], ids: [[1]], flag: [true], image: [], half: [] }, { outputs: ["nope"] });
`;

const project = makeProject({
  "pipeline.ts": definition,
  "pipeline.config.ts":
    'import { defineConfig } from "tritype"; export default defineConfig({ entries: ["pipeline.ts"] });',
  "agreement.ts": agreement,
  "wrong.ts": wrong,
});
afterAll(() => project.remove());
const { compilation } = await compileFixture(project);
writeBuild(project.path("build"), compilation.build?.tree ?? new Map());
const folder = `test/.projects/${basename(project.root)}`;
const paths = ["core/kserve.d.ts", "core/grpc.d.ts", "all-kinds.d.ts"].map((path) => `build/client/${path}`);
const program = programOf(
  [...paths, "agreement.ts", "wrong.ts"].map((path) => `${folder}/${path}`),
  {},
  { types: ["node"], skipLibCheck: false },
);
const messages = (path: string): readonly string[] =>
  diagnosticsOf(program, `${folder}/${path}`).map(messageOf);

test("the declarations of a build are self-contained and agree with the definition's types", () => {
  expect(compilation.diagnostics).toEqual([]);
  for (const path of [...paths, "pipeline.ts", "agreement.ts"])
    expect([path, messages(path)]).toEqual([path, []]);
});

test("they refuse the same values as the definition's types", () => {
  expect(messages("wrong.ts")).toEqual([
    expect.stringContaining(
      "missing the following properties from type 'AllKindsInputs': ids, flag, image, half",
    ),
    "Type '\"nope\"' is not assignable to type 'keyof AllKindsOutputs'.",
  ]);
});
