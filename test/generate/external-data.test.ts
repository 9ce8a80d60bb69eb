import { readFileSync } from "node:fs";
import { decodeModel, encodeModel, type GraphProto, type NodeProto, type TensorProto } from "@tritype/onnx";
import { expect, onTestFinished, test } from "vitest";
import { readdirSync } from "node:fs";
import {
  hostOf,
  nativeAnswers,
  type Options,
  problemsOf,
  pythonAnswers,
  writeModel,
} from "./generate-model.ts";
import { folderOf } from "./goldens.ts";

const folder = folderOf("bart");
const root = new URL("../../", import.meta.url);

interface Split {
  readonly model: Uint8Array;
  readonly data: Uint8Array;
}

/**
 * The layout that exporters use above 2 GiB: all weights, including those of a merged decoder's branches, in a separate
 * file.
 */
const withExternalData = (path: string, location: string): Split => {
  const model = decodeModel(readFileSync(new URL(path, root)));
  const chunks: Uint8Array[] = [];
  let at = 0;
  const outside = (tensor: TensorProto): TensorProto => {
    const { rawData, ...rest } = tensor;
    if (rawData === undefined) return tensor;
    const entries = { location, offset: String(at), length: String(rawData.length) };
    chunks.push(rawData);
    at += rawData.length;
    return {
      ...rest,
      dataLocation: 1,
      externalData: Object.entries(entries).map(([key, value]) => ({ key, value })),
    };
  };
  const branches = (node: NodeProto): NodeProto => ({
    ...node,
    ...(node.attribute && {
      attribute: node.attribute.map((one) => (one.g === undefined ? one : { ...one, g: graphOf(one.g) })),
    }),
  });
  const graphOf = (graph: GraphProto): GraphProto => ({
    ...graph,
    ...(graph.node && { node: graph.node.map(branches) }),
    ...(graph.initializer && { initializer: graph.initializer.map(outside) }),
  });
  return { model: encodeModel({ ...model, graph: graphOf(model.graph ?? {}) }), data: Buffer.concat(chunks) };
};

const options: Options = { from: folder, search: { kind: "greedy" }, maxNewTokens: 8 };
const requests = [
  {
    prompts: [
      [5, 6, 2],
      [7, 8, 9, 2],
    ],
  },
];

test("weights next to the files of an export are included, and the tokens stay the same", async () => {
  const encoder = withExternalData(`${folder}/encoder_model.onnx`, "encoder_model.onnx_data");
  const decoder = withExternalData(`${folder}/decoder_model_merged.onnx`, "decoder_model_merged.onnx_data");
  const written = writeModel(
    options,
    hostOf({
      [`${folder}/encoder_model.onnx`]: encoder.model,
      [`${folder}/encoder_model.onnx_data`]: encoder.data,
      [`${folder}/decoder_model_merged.onnx`]: decoder.model,
      [`${folder}/decoder_model_merged.onnx_data`]: decoder.data,
    }),
  );
  onTestFinished(() => written.remove());
  const plain = writeModel(options);
  onTestFinished(() => plain.remove());
  expect(readdirSync(written.model.versionFolder)).toEqual(
    [
      ...readdirSync(plain.model.versionFolder),
      "decoder_model_merged.onnx_data",
      "encoder_model.onnx_data",
    ].toSorted(),
  );
  const [expected] = await nativeAnswers(plain, requests);
  expect(expected?.[0]).not.toHaveProperty("error");
  expect((await nativeAnswers(written, requests))[0]).toEqual(expected);
  expect((await pythonAnswers([{ written, requests }]))[0]).toEqual(expected);
});

test("missing weights, and two files with the same name, are refused", () => {
  const decoder = withExternalData(`${folder}/decoder_model_merged.onnx`, "weights.bin");
  const encoder = withExternalData(`${folder}/encoder_model.onnx`, "weights.bin");
  const without = { [`${folder}/decoder_model_merged.onnx`]: decoder.model };
  expect(problemsOf(options, hostOf(without))).toEqual([
    "onnx/external-data-not-found: `generate`: its weights are in `test/fixtures/generate/bart/weights.bin`, which does not exist",
  ]);
  const apart = {
    ...without,
    [`${folder}/weights.bin`]: decoder.data,
    "encoder/model.onnx": encoder.model,
    "encoder/weights.bin": encoder.data,
  };
  expect(problemsOf({ ...options, encoder: "encoder/model.onnx" }, hostOf(apart))).toEqual([
    "generate/misfit: generate step `generate`: test/fixtures/generate/bart/decoder_model_merged.onnx does not match encoder/model.onnx: each has its weights in a file `weights.bin`, and one folder cannot contain both",
  ]);
});
