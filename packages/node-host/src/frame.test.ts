import { tensorOf } from "@tritype/core";
import { expect, test } from "vitest";
import {
  type Frame,
  frameKinds,
  frameReader,
  FrameWriter,
  namedTensors,
  nextId,
  printFrame,
  printRequests,
  printTensors,
  readRequests,
} from "./frame.ts";
import { checkElements } from "./function-values.ts";

const declared = [
  { name: "ids", dtype: "INT64" },
  { name: "text", dtype: "BYTES" },
] as const;
const names = declared.map(({ name }) => name);
const requests = [
  { left: 0, inputs: new Map([["ids", tensorOf("INT64", [1, 3], [1n, 2n, 3n])]]) },
  {
    left: 1500,
    inputs: new Map([
      ["text", tensorOf("BYTES", [2, 1], ["a", "bcdefg"])],
      ["ids", tensorOf("INT64", [0, 3], [])],
    ]),
  },
];

test("frames that arrive in pieces of any size are reassembled as they were written", () => {
  const frame = printFrame(frameKinds.execute, 7, requests.length, printRequests(requests, names));
  const bytes = Buffer.concat([frame, printFrame(frameKinds.cancel, 8, 1)]);
  for (const [size, isLent] of [1, 3, 16, 17, 64, bytes.length].flatMap((one) => [
    [one, false] as const,
    [one, true] as const,
  ])) {
    const frames: Frame[] = [];
    const read = frameReader(
      (one) => frames.push(one),
      () => isLent,
    );
    for (let at = 0; at < bytes.length; at += size) read(bytes.subarray(at, at + size));
    expect(frames.map(({ kind, id, index }) => [kind, id, index])).toEqual([
      [frameKinds.execute, 7, 2],
      [frameKinds.cancel, 8, 1],
    ]);
    const [execute] = frames.filter(({ kind }) => kind === frameKinds.execute).map(readRequests);
    expect(execute?.map(({ left, tensors }) => ({ left, inputs: namedTensors(tensors, declared) }))).toEqual(
      requests,
    );
  }
});

test("ids start again when a frame has no larger one", () => {
  expect([0, 7, 2 ** 32 - 1].map(nextId)).toEqual([1, 8, 0]);
});

test("the bytes of a frame are fixed, for readers in another language", () => {
  const [, second] = requests;
  const frame = printFrame(1, 7, 1, printRequests(second === undefined ? [] : [second], names));
  const words = Buffer.from(frame).toString("hex").match(/.{8}/g) ?? [];
  expect(words.join(" ")).toBe(
    [
      "50000000 01000000 07000000 01000000", // 80 bytes, EXECUTE, id 7, one request
      "48000000 dc050000", // 72 bytes, 1500 µs
      "02000000 00000000", // two tensors
      "01000000 02000000 0f000000 00000000 02000000 01000000", // text: rank 2, 15 bytes, [2, 1]
      "01000000 61060000 00626364 65666700",
      "00000000 02000000 00000000 00000000 00000000 03000000", // ids: rank 2, 0 bytes, [0, 3]
    ].join(" "),
  );
});

test("outputs are repeatedly written into the same memory, both small and large ones", () => {
  const writer = new FrameWriter();
  const texts = ["", "naïve 👩‍👧", "x".repeat(70_001), "\ud800", "ä".repeat(2_000_000), "abc"];
  for (const [index, text] of texts.entries()) {
    const outputs = [
      checkElements("ids", "INT64", [1, 3], [[1n, 2n, BigInt(index)]]),
      checkElements("text", "BYTES", [2, 1], [["y"], [text]]),
    ];
    const tensors = new Map([
      ["ids", tensorOf("INT64", [1, 3], [1n, 2n, BigInt(index)])],
      ["text", tensorOf("BYTES", [2, 1], ["y", text])],
    ]);
    const expected = printFrame(frameKinds.answer, 7, index, printTensors(tensors, names));
    expect(Buffer.compare(writer.print(frameKinds.answer, 7, index, outputs), expected)).toBe(0);
    const one = printFrame(frameKinds.call, 8, 1, [
      [9, 9],
      ...printTensors(new Map([["text", tensorOf("BYTES", [2, 1], ["y", text])]]), names),
    ]);
    expect(Buffer.compare(writer.print(frameKinds.call, 8, 1, [undefined, outputs[1]], [9, 9]), one)).toBe(0);
  }
});
