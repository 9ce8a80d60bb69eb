import { join } from "node:path";
import { writeBuild } from "@tritype/project";
import { type TensorData, tensorOf } from "@tritype/core";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { pipeline } from "../cli/run-pipeline.ts";
import { makeProject } from "../fixtures/project.ts";
import { arrays, clean, image, rank, scalars } from "../function/hand-made.ts";
import { buildOf } from "../function/serve-both.ts";
import { installTime, type Judged, judgeRepository, type TemporaryFolder, temporaryFolder } from "./judge.ts";
import { expectSameAnswers } from "./same-answers.ts";

let folder: TemporaryFolder;
let judged: Judged;

beforeAll(async () => {
  folder = await temporaryFolder();
  writeBuild(folder.path, buildOf([arrays, clean, image, rank, scalars]).tree);
  judged = await judgeRepository(join(folder.path, "model_repository"));
}, installTime);
afterAll(async () => {
  await judged?.stop();
  await folder.remove();
});

const texts = (...values: readonly (string | Uint8Array)[]): TensorData =>
  tensorOf("BYTES", [values.length, 1], values);
const integers = (
  dtype: "INT32" | "INT64",
  shape: readonly number[],
  values: readonly number[],
): TensorData => tensorOf(dtype, shape, values);

test("Triton loads the functions without a problem, and the twins run", () => {
  expect(judged.triton.problems()).toEqual([]);
  expect(judged.notices).toEqual([]);
});

test.each(["throw", "empty", "number", "missing", "fraction", "large", "nan", "loop", "😀", "fine"])(
  "a request whose second row may fail is answered alike: %s",
  async (text) => {
    await expectSameAnswers(judged, {
      model: "clean",
      inputs: new Map([["text", texts("fine", text)]]),
    });
  },
);

test("in a batch formed by Triton, requests fail individually", async () => {
  const words = ["a😀b", "throw", "fine", "empty", "number", "", "nan", "ok"];
  await Promise.all(
    Array.from({ length: 40 }, (_, index) =>
      expectSameAnswers(judged, {
        model: "clean",
        inputs: new Map([
          ["text", texts(...words.slice(index % 5, (index % 5) + 1 + (index % 3)))],
          ...(index % 4 === 0
            ? [["limit", integers("INT32", [1 + (index % 3), 1], Array(1 + (index % 3)).fill(2))] as const]
            : []),
        ]),
      }),
    ),
  );
  const [statistics] = (
    (await (await fetch(`${judged.triton.httpUrl}/v2/models/clean/stats`)).json()) as {
      readonly model_stats: readonly { readonly inference_count: number; readonly execution_count: number }[];
    }
  ).model_stats;
  expect(statistics?.execution_count).toBeLessThan(statistics?.inference_count ?? 0);
});

test("text that is not UTF-8 gives the same error everywhere", async () => {
  await expectSameAnswers(judged, {
    model: "clean",
    inputs: new Map([["text", texts("fine", Uint8Array.of(0xff))]]),
  });
});

test.each([0, 2, 6, 7, 8])("arrays of %i elements give the same answers", async (n) => {
  await expectSameAnswers(judged, {
    model: "arrays",
    inputs: new Map([
      ["ids", integers("INT64", [2, 3], [0, 1, 2, -1, 0, 5])],
      ["words", tensorOf("BYTES", [2, 2], ["a", "é", "", "😀"])],
      ["flags", tensorOf("BOOL", [2, 3], [true, false, true, true, true, false])],
      ["n", integers("INT32", [2, 1], [0, n])],
    ]),
  });
});

test("every family of dtypes and every shape gives the same answers, also with several rows", async () => {
  await expectSameAnswers(judged, {
    model: "scalars",
    inputs: new Map([
      ["b", tensorOf("BOOL", [2, 1], [true, false])],
      ["i", integers("INT64", [2, 1], [3, -5])],
      ["n", tensorOf("UINT8", [2, 1], [0, 255])],
      ["h", tensorOf("FP16", [2, 1], [0.1, -65504])],
      ["f", tensorOf("FP32", [2, 1], [0.1, 3e38])],
    ]),
  });
  await expectSameAnswers(judged, {
    model: "image",
    inputs: new Map([
      [
        "image",
        tensorOf(
          "UINT8",
          [1, 2, 2, 3],
          Array.from({ length: 12 }, (_, i) => i),
        ),
      ],
    ]),
  });
  for (const n of [3, 4, 5])
    await expectSameAnswers(judged, {
      model: "rank",
      inputs: new Map([
        [
          "score",
          tensorOf(
            "FP32",
            [2, n],
            Array.from({ length: 2 * n }, (_, i) => (i * 7) % 5),
          ),
        ],
        ["name", texts("a", "b")],
      ]),
    });
});

const textPipeline = `
import { batchStep, bytes, defineEnsemble, fp32, int64, json, step } from "tritype";

interface Answer {
  readonly label: string;
  readonly score: number;
}

const names = new Map([["neg", "negative"], ["pos", "positive"]]);

const clean = step({
  name: "clean",
  inputs: { text: bytes("batch", 1) },
  outputs: { text: bytes("batch", 1), units: int64("batch", 1) },
  run({ text }) {
    const short = text.trim().toLowerCase();
    if (short === "") throw new RangeError("the text is empty");
    return { text: short.slice(0, 40), units: BigInt(text.length) };
  },
});
const label = step({
  name: "label",
  inputs: { text: bytes("batch", 1), score: fp32("batch", 1) },
  outputs: { label: json<Answer>() },
  run: ({ text, score }) => ({ label: { label: names.get(text.slice(0, 3)) ?? "other", score } }),
});
const share = batchStep({
  name: "share",
  inputs: { score: fp32("batch", 1), answer: json<Answer>() },
  outputs: { share: fp32("batch", 1) },
  run({ score, answer }) {
    const { data, shape } = score;
    return { share: { data: data.map((value, row) => value / (answer.data[row]?.label ?? "").length), shape } };
  },
});
export const read = defineEnsemble({
  name: "read",
  maxBatchSize: 8,
  inputs: { text: bytes("batch", 1), score: fp32("batch", 1) },
  run({ text, score }) {
    const cleaned = clean({ text });
    const labelled = label({ text: cleaned.text, score });
    return {
      label: labelled.label,
      units: cleaned.units,
      share: share({ score, answer: labelled.label }).share,
    };
  },
});
`;

test("pipeline verify: the functions, their Python and the real Triton give the same answers and errors", async () => {
  const reader = makeProject({ "pipeline.ts": textPipeline });
  onTestFinished(reader.remove);
  const { code, out, err } = await pipeline(reader, ["verify"]);
  expect({ code, err }).toMatchObject({ code: 0 });
  const lines = out.trimEnd().split("\n");
  for (const check of ["local python", "triton http", "triton grpc"])
    for (const tensor of ["label", "units", "share", "\\(error\\)"])
      expect
        .soft(lines)
        .toContainEqual(expect.stringMatching(new RegExp(`^read +${tensor} +${check} .* ok$`, "i")));
});
