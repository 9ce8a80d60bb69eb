import { grpcMethod } from "@tritype/protocol";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import {
  printInferRequest,
  printTarget,
  readConfig,
  readInferResponse,
  readMetadata,
  readReady,
} from "./messages.ts";

const plain = (bytes: Uint8Array): Uint8Array<ArrayBuffer> => Uint8Array.from(bytes);
const bytes = fc.uint8Array({ maxLength: 300 });
const size = fc.integer({ min: -1, max: 2 ** 40 });
const tensor = fc.record({ name: fc.string(), datatype: fc.string(), shape: fc.array(size), data: bytes });

test("requests match the descriptor", () => {
  const { request } = grpcMethod("ModelInfer");
  fc.assert(
    fc.property(
      fc.record({
        model: fc.string(),
        version: fc.string(),
        id: fc.string(),
        inputs: fc.array(tensor),
        outputs: fc.array(fc.string()),
      }),
      ({ model, version, id, inputs, outputs }) => {
        const sequence_id = 2n ** 64n - 1n;
        const parameters = {
          flag: false,
          count: 0,
          big: 2n ** 63n,
          note: "",
          ratio: 0.5,
          less: -3,
          sequence_id,
        };
        const sent = printInferRequest({
          model,
          version,
          id,
          outputs,
          raw: [],
          parameters,
          inputs: inputs.map(({ datatype, ...rest }) => ({
            ...rest,
            dtype: datatype,
            data: plain(rest.data),
          })),
        });
        const expected = request.encode({
          model_name: model,
          model_version: version,
          id,
          parameters: {
            flag: { bool_param: false },
            count: { int64_param: 0 },
            big: { uint64_param: String(2n ** 63n) },
            note: { string_param: "" },
            ratio: { double_param: 0.5 },
            less: { int64_param: -3 },
            sequence_id: { int64_param: -1 },
          },
          inputs: inputs.map(({ name, datatype, shape }) => ({ name, datatype, shape })),
          outputs: outputs.map((name) => ({ name })),
          raw_input_contents: inputs.map(({ data }) => data),
        });
        expect(request.decode(sent)).toEqual(request.decode(plain(expected)));
      },
    ),
  );
  const { request: target } = grpcMethod("ModelConfig");
  expect(target.decode(printTarget({ model: "m", version: undefined }))).toEqual({ name: "m", version: "" });
});

test("answers written with the descriptor are read correctly", () => {
  const { response } = grpcMethod("ModelInfer");
  fc.assert(
    fc.property(fc.array(tensor), (outputs) => {
      const sent = response.encode({
        model_name: "m",
        id: "x",
        parameters: { sequence_id: { int64_param: 7 } },
        outputs: outputs.map(({ name, datatype, shape }) => ({ name, datatype, shape })),
        raw_output_contents: outputs.map(({ data }) => data),
      });
      expect(readInferResponse(plain(sent)).map((one) => ({ ...one, data: [...one.data] }))).toEqual(
        outputs.map(({ name, datatype, shape, data }) => ({ name, dtype: datatype, shape, data: [...data] })),
      );
    }),
  );
});

test("configurations, metadata and readiness written with the descriptor are read correctly", () => {
  const config = grpcMethod("ModelConfig").response.encode({
    config: {
      name: "m",
      max_batch_size: 8,
      input: [
        { name: "text", data_type: "TYPE_STRING", dims: [1] },
        { name: "mask", data_type: "TYPE_BF16", dims: [-1, 3], optional: true },
      ],
      output: [{ name: "y", data_type: "TYPE_FP16", dims: [300] }],
      parameters: { other: { string_value: "x" }, tritype_contract: { string_value: "abc" } },
      instance_group: [{ count: 2 }],
      model_transaction_policy: { decoupled: true },
    },
  });
  expect(readConfig(plain(config))).toEqual({
    name: "m",
    hash: "abc",
    inputs: {
      text: { dtype: "BYTES", dims: ["batch", 1] },
      mask: { dtype: "BF16", dims: ["batch", -1, 3], optional: true },
    },
    outputs: { y: { dtype: "FP16", dims: ["batch", 300] } },
    streams: true,
  });
  const metadata = grpcMethod("ModelMetadata").response.encode({
    name: "m",
    versions: ["1"],
    inputs: [{ name: "x", datatype: "INT8", shape: [-1, 2] }],
    outputs: [{ name: "y", datatype: "BYTES", shape: [1] }],
  });
  expect(readMetadata(plain(metadata))).toEqual({
    name: "m",
    inputs: { x: { dtype: "INT8", dims: [-1, 2] } },
    outputs: { y: { dtype: "BYTES", dims: [1] } },
  });
  const ready = grpcMethod("ModelReady").response;
  expect([true, false].map((value) => readReady(plain(ready.encode({ ready: value }))))).toEqual([
    true,
    false,
  ]);
});

test("an invalid message is a RangeError", () => {
  for (const broken of [[0x2a, 5, 1], [0x2a], [0x0f], Array<number>(11).fill(0xff)])
    expect(() => readInferResponse(Uint8Array.from(broken))).toThrow(RangeError);
});
