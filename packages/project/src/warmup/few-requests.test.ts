import type { CapturedRequest } from "@tritype/compiler";
import { printRawData, tensorOf } from "@tritype/core";
import { expect, test } from "vitest";
import { fewRequests } from "./few-requests.ts";

const image = (height: number, width: number, value = 0): CapturedRequest => ({
  model: "recognize",
  ensemble: "f",
  sample: "s",
  inputs: {
    crop: { dtype: "UINT8", dims: [height, width], bytes: new Uint8Array(height * width).fill(value) },
  },
});
const question = (text: string, model = "ask"): CapturedRequest => ({
  model,
  ensemble: "f",
  sample: "s",
  inputs: {
    text: { dtype: "BYTES", dims: [1], bytes: printRawData(tensorOf("BYTES", [1], [Buffer.from(text)])) },
  },
});

test("requests with the largest and the smallest size of each dim are kept", () => {
  const crops = [image(2, 2), image(4, 4), image(3, 9), image(9, 3), image(1, 5), image(5, 1)];
  expect(fewRequests(crops)).toEqual([image(3, 9), image(9, 3), image(1, 5), image(5, 1)]);
});

test("one of several requests with equal sizes is kept, regardless of their order", () => {
  const crops = [image(2, 2, 3), image(2, 2, 1), image(2, 2, 2)];
  expect(fewRequests(crops)).toEqual([image(2, 2, 1)]);
  expect(fewRequests(crops.toReversed())).toEqual([image(2, 2, 1)]);
});

test("the longest and the shortest text are kept, for each model", () => {
  const texts = ["bb", "ccc", "a", "dd"].map((text) => question(text));
  expect(fewRequests([...texts, question("x", "again")])).toEqual([
    question("x", "again"),
    question("ccc"),
    question("a"),
  ]);
  expect(fewRequests([])).toEqual([]);
});
