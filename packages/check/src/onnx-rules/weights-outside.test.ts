import { defaultRelease, releaseOf, releases } from "@tritype/triton";
import { expect, test } from "vitest";
import { graphFile, onnxModel } from "./onnx-model.fixture.ts";
import { onnxRules } from "./onnx-rules.ts";

/** The weights are in `1/w.bin`. */
const graph = graphFile({
  inputs: { A: "FP32[N, 4]" },
  outputs: { B: "FP32[N, 4]" },
  graph: {
    initializer: [
      {
        name: "w",
        dataType: 1,
        dims: [1],
        dataLocation: 1,
        externalData: [{ key: "location", value: "w.bin" }],
      },
    ],
  },
});
const config = `backend: "onnxruntime" max_batch_size: 8
input { name: "A" data_type: TYPE_FP32 dims: [ 4 ] } output { name: "B" data_type: TYPE_FP32 dims: [ 4 ] }`;
const files = { "1/model.onnx": graph, "1/w.bin": new Uint8Array() };
const newest = releases.at(-1) ?? defaultRelease;

const says = (code: string, links: Readonly<Record<string, string>>, release = defaultRelease) => {
  const rule = onnxRules.find(({ entry }) => entry.code === code);
  if (rule?.scope !== "model") throw new Error(`no rule ${code}`);
  return rule.check(onnxModel(config, files, { release }, links)).map(({ message }) => message);
};

const inCache = { "1": "/repository/m/1", "1/model.onnx": "/hub/blobs/a", "1/w.bin": "/hub/blobs/b" };
const leadsOut = "the weights of `1/model.onnx` of `m` are in `w.bin`, a link that leads out of its folder";

test.each([
  [
    "elsewhere",
    {
      "1": "/repository/m/1",
      "1/model.onnx": "/repository/m/1/model.onnx",
      "1/w.bin": "/secret/w.bin",
    },
    [leadsOut],
  ],
  ["to the cache, as the model is", inCache, []],
  ["with the whole folder", { "1": "/elsewhere/1", "1/w.bin": "/elsewhere/1/w.bin" }, []],
  ["to an unknown place", {}, []],
])("checks weights that are linked %s", (_, links, expected) => {
  expect(says("onnx-model/external-data-outside", links, newest)).toEqual(expected);
  expect(says("onnx-model/external-data-refused-later", links)).toEqual(expected);
});

test("Triton 26.02 refuses links to a cache too", () => {
  expect(says("onnx-model/external-data-outside", inCache, releaseOf("26.02"))).toEqual([leadsOut]);
});
