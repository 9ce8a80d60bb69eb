import { decodeModel, opsetsOf } from "@tritype/onnx";
import { operators } from "@tritype/operators";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { arbitraryCall } from "./arbitrary-call.ts";
import { operatorModel, runOperator } from "./run-operator.ts";

/** Versions that files use today, up to the newest one that the newest Triton release reads. */
const opsets = [13, 14, 15, 16, 18, 19, 20, 21];

test.each([...operators.keys()].filter((name) => name !== "constant"))(
  "%s gives the same answers at every opset that has its nodes",
  async (name) => {
    for (const call of fc.sample(arbitraryCall(name), { numRuns: 3, seed: 5 })) {
      const { lowest, highest } = opsetsOf(decodeModel(operatorModel(call)).graph ?? {});
      const wanted = await runOperator(call, call.feeds);
      for (const opset of opsets.filter((one) => one >= lowest && one <= highest))
        expect(await runOperator(call, call.feeds, opset), `opset ${opset}`).toEqual(wanted);
    }
  },
);
