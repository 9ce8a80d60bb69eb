import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Client } from "./client.ts";
import type { DType } from "@tritype/core";
import type { Contract, Tensor } from "./contract.ts";
import { elementKinds } from "./elements.ts";

/** The tensors of the models in these cases: `OUTPUT` equals `INPUT`, has any two dims, and is unbatched. */
export const echoContract = (dtype: DType): Contract<Inputs, Outputs> => ({
  name: `echo_${dtype.toLowerCase()}`,
  inputs: { INPUT: { dtype, dims: ["rows", "columns"] } },
  outputs: { OUTPUT: { dtype, dims: ["rows", "columns"] } },
});
export type Inputs = Record<string, unknown>;
export type Outputs = Record<string, Tensor>;

export const everyDType = [...Object.keys(elementKinds), "BYTES"] as readonly DType[];

/** Any element of the dtype. */
export const elementOf = (dtype: DType): fc.Arbitrary<unknown> => {
  if (dtype === "BYTES") return fc.string({ unit: "binary" });
  if (dtype === "BOOL") return fc.boolean();
  if (dtype === "FP64") return fc.double();
  if (dtype === "FP32") return fc.float();
  if (dtype === "FP16") return fc.integer({ min: -2048, max: 2048 }).map((x) => x / 16);
  if (dtype === "BF16") return fc.integer({ min: -256, max: 256 }).map((x) => x / 8);
  const bits = Number(/\d+/.exec(dtype)?.[0]);
  const [min, max] = dtype.startsWith("U")
    ? [0n, 2n ** BigInt(bits) - 1n]
    : [-(2n ** BigInt(bits - 1)), 2n ** BigInt(bits - 1) - 1n];
  return bits === 64 ? fc.bigInt({ min, max }) : fc.integer({ min: Number(min), max: Number(max) });
};
const matrix = (dtype: DType): fc.Arbitrary<unknown[][]> =>
  fc.integer({ min: 1, max: 4 }).chain((columns) =>
    fc.array(fc.array(elementOf(dtype), { minLength: columns, maxLength: columns }), {
      minLength: 1,
      maxLength: 4,
    }),
  );

/** The client's guarantees on every transport and every server that has the echo models. */
export const typedClientCases = (
  name: string,
  open: (ensemble: Contract<Inputs, Outputs> | string) => Client<Inputs, Outputs>,
  /** Number of INT32 elements in the largest request; the wheel's HTTP frontend accepts less than 2 MB. */
  largestElements = 5_000_000,
): void => {
  describe(name, () => {
    const opened: Client<Inputs, Outputs>[] = [];
    const client = (ensemble: Contract<Inputs, Outputs> | string): Client<Inputs, Outputs> => {
      const made = open(ensemble);
      opened.push(made);
      return made;
    };
    let ints: Client<Inputs, Outputs>;
    beforeAll(() => {
      ints = client(echoContract("INT32"));
    });
    afterAll(() => opened.forEach((one) => one.close()));

    it.each(everyDType)("%s is returned as it was sent, with its shape", async (dtype) => {
      const echo = client(echoContract(dtype));
      await fc.assert(
        fc.asyncProperty(matrix(dtype), async (rows) => {
          const { OUTPUT } = await echo.infer({ INPUT: rows });
          expect(OUTPUT?.shape).toEqual([rows.length, rows[0]?.length]);
          expect(OUTPUT?.dtype).toBe(dtype);
          expect(OUTPUT?.toArray()).toEqual(rows);
          const again = await echo.infer({ INPUT: { data: OUTPUT?.data, shape: OUTPUT?.shape } });
          expect(again["OUTPUT"]?.data).toEqual(OUTPUT?.data);
        }),
        { numRuns: 10 },
      );
    });

    it("returns answers that can be copied, for example to a worker", async () => {
      const { OUTPUT } = await ints.infer({ INPUT: [[7, 8]] });
      expect(structuredClone(OUTPUT)).toEqual({ dtype: "INT32", shape: [1, 2], data: Int32Array.of(7, 8) });
      expect(OUTPUT?.toArray()).toEqual([[7, 8]]);
    });

    it("needs only the ensemble's name and asks the server for the rest", async () => {
      const { OUTPUT } = await client("echo_int64").infer({ INPUT: [[1n, -2n]] });
      expect(OUTPUT?.data).toEqual(BigInt64Array.of(1n, -2n));
      await expect(client("echo_int64").infer({ INPUT: [[0.5]] })).rejects.toMatchObject({
        kind: "invalid",
        message:
          "input `INPUT`: expected INT64[-1, -1], got 0.5 at INPUT[0][0], where a bigint or safe integer from -9223372036854775808 to 9223372036854775807 is expected",
      });
    });

    it("returns bytes instead of text on request", async () => {
      const echo = client(echoContract("BYTES"));
      const bytes = [Uint8Array.of(0xff, 0xfe), Uint8Array.of()];
      const { OUTPUT } = await echo.infer({ INPUT: [bytes] }, { raw: ["OUTPUT"] });
      expect(OUTPUT).toEqual({ dtype: "BYTES", shape: [1, 2], data: bytes });
      await expect(echo.infer({ INPUT: [bytes] })).rejects.toMatchObject({
        kind: "malformed",
        tensor: "OUTPUT",
        message: 'output `OUTPUT`: element 0 is not UTF-8; ask for its bytes with { raw: ["OUTPUT"] }',
      });
    });

    it("accepts an id, parameters, requested outputs and a deadline", async () => {
      const { OUTPUT } = await ints.infer(
        { INPUT: [[7]] },
        {
          id: "ü-1",
          parameters: { note: "x", count: 3n, exact: true },
          outputs: ["OUTPUT"],
          deadlineMs: 20_000,
        },
      );
      expect(OUTPUT?.data).toEqual(Int32Array.of(7));
    });

    it("answers a request that names no outputs without any", async () => {
      expect(await ints.infer({ INPUT: [[7]] }, { outputs: [] })).toEqual({});
    });

    it.each([2 ** 31 - 1, 1e12, Number.MAX_SAFE_INTEGER, Infinity])(
      "has no limit with a deadline of %d ms",
      async (deadlineMs) => {
        const { OUTPUT } = await ints.infer({ INPUT: [[7]] }, { deadlineMs });
        expect(OUTPUT?.data).toEqual(Int32Array.of(7));
      },
    );

    it("reports that a model is ready and that a missing one is not", async () => {
      expect([await ints.ready(), await client("no_such_model").ready()]).toEqual([true, false]);
    });

    it("passes on the server's error for an unknown model", async () => {
      await expect(client("no_such_model").infer({})).rejects.toMatchObject({
        name: "ClientError",
        kind: "refused",
        message: expect.stringContaining("'no_such_model' is not found"),
      });
    });

    it("lists the differences from a server built from something else", async () => {
      const stale = client({
        name: "echo_int32",
        hash: "0".repeat(64),
        inputs: {
          INPUT: { dtype: "FP32", dims: ["rows", "columns"] },
          MASK: { dtype: "BOOL", dims: ["rows"] },
        },
        outputs: { OUTPUT: { dtype: "INT32", dims: ["rows", 4] } },
      });
      const failure = await stale.infer({ INPUT: [[1]], MASK: [true] }).catch((error: unknown) => error);
      expect(failure).toMatchObject({
        kind: "contract",
        mayHaveRun: false,
        differences: [
          { side: "input", tensor: "INPUT", expected: "FP32[rows, columns]", got: "INT32[-1, -1]" },
          { side: "input", tensor: "MASK", expected: "BOOL[rows]", got: undefined },
          { side: "output", tensor: "OUTPUT", expected: "INT32[rows, 4]", got: "INT32[-1, -1]" },
        ],
      });
      expect((failure as Error).message).toBe(
        [
          "the server's `echo_int32` is not the one that this client was generated for:",
          "  input `INPUT`: expected FP32[rows, columns], the server has INT32[-1, -1]",
          "  input `MASK`: expected BOOL[rows], not on the server",
          "  output `OUTPUT`: expected INT32[rows, 4], the server has INT32[-1, -1]",
          "regenerate the client, or serve the build that it came with",
        ].join("\n"),
      );
      await expect(stale.check()).rejects.toMatchObject({ kind: "contract" });
    });

    it(`carries ${largestElements * 4} bytes both ways`, async () => {
      const data = new Int32Array(largestElements).fill(5);
      const { OUTPUT } = await ints.infer({ INPUT: { data, shape: [1, data.length] } });
      const got = OUTPUT?.data;
      expect(got instanceof Int32Array && got.length === largestElements && got.every((x) => x === 5)).toBe(
        true,
      );
    });

    it("ends when the caller cancels it", async () => {
      const controller = new AbortController();
      const call = ints.infer({ INPUT: [[1]] }, { signal: controller.signal });
      controller.abort();
      await expect(call).rejects.toMatchObject({ kind: "cancelled" });
      await expect(ints.infer({ INPUT: [[1]] }, { signal: controller.signal })).rejects.toMatchObject({
        kind: "cancelled",
        mayHaveRun: false,
      });
    });
  });
};
