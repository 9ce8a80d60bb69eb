import { type TensorData, typedArrayOf } from "@tritype/core";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  finish,
  grpcInferMessageSteps,
  type GrpcInferResponse,
  grpcInferRequest,
  grpcInferResponse,
  grpcMethod,
  grpcReplySteps,
  type InferResponse,
  parseInferRequest,
  parseInferResponse,
  printInferRequest,
  printInferResponse,
  readGrpcInferRequest,
  readGrpcInferResponse,
} from "./index.ts";
import { everyDType, tensorArbitrary } from "./tensor-arbitrary.fixture.ts";

const headerLengthOf = (headers: Readonly<Record<string, string>>): { headerLength?: number } => {
  const length = headers["Inference-Header-Content-Length"];
  return length === undefined ? {} : { headerLength: Number(length) };
};

/** NaN payloads do not survive JSON; all NaNs are considered equal. */
const canonical = (tensor: TensorData): unknown =>
  tensor.dtype === "FP32" || tensor.dtype === "FP64" ? { ...tensor, data: typedArrayOf(tensor) } : tensor;

const parameters = fc.dictionary(
  fc.constantFrom("a", "priority_", "é"),
  fc.oneof(
    fc.string(),
    fc.boolean(),
    fc.integer(),
    fc.double({ noInteger: true, noNaN: true, noDefaultInfinity: true }),
  ),
);

describe.each(everyDType)("%s", (dtype) => {
  const isText = dtype !== "FP16" && dtype !== "BF16";

  it.each(isText ? [true, false] : [true])("request parse(print(x)) = x, binary: %s", (binary) => {
    fc.assert(
      fc.property(
        tensorArbitrary(dtype, !binary),
        tensorArbitrary("INT32", true),
        parameters,
        fc.string(),
        (x, y, given, id) => {
          const inputs = new Map([
            ["x", x],
            ["y", y],
          ]);
          const message = printInferRequest({ id, inputs, outputs: ["o"], parameters: given }, { binary });
          const { request, format } = parseInferRequest({
            model: "m",
            body: message.body,
            ...headerLengthOf(message.headers),
          });
          expect(request.id).toBe(id);
          expect([...request.inputs].map(([name, t]) => [name, canonical(t)])).toEqual(
            [...inputs].map(([name, t]) => [name, canonical(t)]),
          );
          expect(request.outputs).toEqual(["o"]);
          expect({ ...request.parameters }).toEqual({ ...given });
          expect(format.binary.get("o")).toBe(binary);
        },
      ),
    );
  });

  it.each(isText ? [true, false] : [true])("response parse(print(x)) = x, binary: %s", (binary) => {
    fc.assert(
      fc.property(tensorArbitrary(dtype, !binary), (x) => {
        const response: InferResponse = { model: "m", version: "1", id: "7", outputs: new Map([["x", x]]) };
        const message = printInferResponse(response, { binary: new Map(), binaryByDefault: binary });
        const { headerLength } = headerLengthOf(message.headers);
        const read = parseInferResponse(message.body, headerLength);
        expect({ ...read, outputs: [...read.outputs].map(([name, t]) => [name, canonical(t)]) }).toEqual({
          ...response,
          outputs: [...response.outputs].map(([name, t]) => [name, canonical(t)]),
        });
      }),
    );
  });

  it("gRPC request and response decode(encode(x)) = x", () => {
    const { request, response } = grpcMethod("ModelInfer");
    fc.assert(
      fc.property(tensorArbitrary(dtype, false), parameters, (x, given) => {
        const tensors = new Map([["x", x]]);
        const asked = {
          model: "m",
          version: "3",
          id: "a",
          inputs: tensors,
          outputs: ["o"],
          ...(Object.keys(given).length > 0 && { parameters: given }),
        };
        expect(
          finish(
            readGrpcInferRequest(finish(grpcInferMessageSteps(request.encode(grpcInferRequest(asked))))),
          ),
        ).toEqual({
          ...asked,
          ...(asked.parameters && { parameters: { ...given } }),
        });
        const answer = { model: "m", version: "3", id: "a", outputs: tensors, parameters: given };
        const reply = grpcInferResponse(answer);
        expect(finish(grpcReplySteps(reply, false))).toEqual(new Uint8Array(response.encode(reply)));
        expect(finish(grpcReplySteps(reply, true))).toEqual(
          new Uint8Array(grpcMethod("ModelStreamInfer").response.encode({ infer_response: reply })),
        );
        expect(readGrpcInferResponse(response.decode(response.encode(reply)) as GrpcInferResponse)).toEqual({
          ...answer,
          parameters: Object.keys(given).length > 0 ? given : undefined,
        });
      }),
    );
  });
});
