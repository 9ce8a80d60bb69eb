import { tensorOf } from "@tritype/core";
import { describe, expect, test } from "vitest";
import { Body } from "./frame.ts";
import { Packer, Unpacker } from "./packed.ts";
import { packTensors, unpackTensors } from "./wire-tensor.ts";

test("tensors are aligned to multiples of 64 bytes and read back unchanged", () => {
  const tensors = new Map([
    ["a", tensorOf("INT8", [3], [1, 2, 3])],
    ["empty", tensorOf("FP32", [0], [])],
    ["text", tensorOf("BYTES", [2], ["x", ""])],
    ["b", tensorOf("INT64", [1], [2n ** 62n])],
  ]);
  const [meta, body] = [new Packer(), new Body()];
  packTensors(meta, body, tensors);
  const bytes = Buffer.concat(body.parts);
  expect(bytes.length).toBe(body.length);
  expect(bytes.indexOf(Buffer.from(tensors.get("b")?.data as Uint8Array)) % 64).toBe(0);
  expect(unpackTensors(new Unpacker(meta.finish()), bytes)).toEqual(tensors);
});

describe("a tensor is refused when", () => {
  const described = (code: number, dim: number, offset: number, length: number): Unpacker =>
    new Unpacker(new Packer().u32(1).text("x").u8(code).u64(offset).u64(length).u8(1).u64(dim).finish());
  const body = Buffer.from([3, 0, 0, 0, 1, 2, 3, 0]);
  test.each([
    ["its dtype is unknown", described(0, 4, 0, 4)],
    ["it extends past the end of the body", described(2, 4, 5, 4)],
    ["its bytes do not fill its shape", described(5, 2, 0, 8)],
    ["an element extends past its end", described(13, 1, 0, 6)],
    ["it contains fewer elements than its shape", described(13, 2, 0, 7)],
  ])("%s", (_what, meta) => {
    expect(() => unpackTensors(meta, body)).toThrow("do not fit its dtype and shape");
  });

  test("a tensor whose description ends early is refused", () => {
    const meta = new Unpacker(new Packer().u32(1).text("x").finish());
    expect(() => unpackTensors(meta, body)).toThrow("ends too early");
  });
});
