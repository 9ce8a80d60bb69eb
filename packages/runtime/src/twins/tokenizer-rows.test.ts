import type { TokenizerTwinOptions } from "@tritype/manifest";
import { encodeUtf8, PipelineError } from "@tritype/core";
import { expect, it } from "vitest";
import type { ModelRequest } from "../backend.ts";
import { readRows } from "./tokenizer-rows.ts";

const request = (texts: readonly Uint8Array[]): ModelRequest =>
  ({
    inputs: new Map([["text", { dtype: "BYTES", shape: [texts.length, 1], data: texts }]]),
  }) as unknown as ModelRequest;
const options = { prefix: "to: ", pair: false } as TokenizerTwinOptions;

it("reads the texts, with the prefix", () => {
  expect(readRows(request([encodeUtf8("a"), encodeUtf8("é")]), options)).toEqual([
    { text: "to: a" },
    { text: "to: é" },
  ]);
});

it.each([[[2 ** 26 + 1]], [[2 ** 25, 2 ** 25, 1]]])(
  "refuses texts of %j bytes before it reads them",
  (sizes) => {
    const texts = sizes.map((size) => new Uint8Array(size));
    const text = `text has ${2 ** 26 + 1} bytes, and tokenizing them would take a hundred times as much memory; the maximum is 67108864`;
    expect(() => readRows(request(texts), options)).toThrow(
      new PipelineError("request/too-large", text, {
        reason: "tokenizer/texts-too-long",
        help: "send fewer or shorter texts in one request",
      }),
    );
  },
);
