import { randomUUID } from "node:crypto";
import { rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import type { DType } from "@tritype/core";
import type { AnyClient, StreamingClient } from "./client.ts";
import type { Contract, Tensor } from "./contract.ts";
import { elementOf, type Inputs, type Outputs } from "./typed-client.cases.ts";

type Told = { readonly TEXT: Tensor<"BYTES", readonly string[]> };
type StreamContract = Contract<Inputs, Outputs, true>;

const teller: Contract<Inputs, Told, true> = {
  name: "teller",
  streams: true,
  inputs: { ASK: { dtype: "BYTES", dims: ["words"] } },
  outputs: { TEXT: { dtype: "BYTES", dims: ["texts"] } },
};
const copiesOf = (dtype: DType): StreamContract => ({
  name: `copies_${dtype.toLowerCase()}`,
  streams: true,
  inputs: { INPUT: { dtype, dims: ["batch", 2] } },
  outputs: { OUTPUT: { dtype, dims: ["batch", 2] } },
});

/** How these cases reach a server with the models `teller`, `copies_<dtype>` for the given dtypes and `echo_int32`. */
export interface StreamingCases {
  readonly open: <I, O>(ensemble: Contract<I, O, true> | string) => StreamingClient<I, O>;
  readonly dtypes: readonly DType[];
  /** The status of an error that a model sends (NOT_FOUND), as the first message and as a later one. */
  readonly statuses: readonly [first: number | undefined, later: number | string | undefined];
  /** How many answers a long stream has; default 2,000. One of them has a hundred times as many elements. */
  readonly many?: number;
}

/** A command that holds the model, which runs on this machine, until it is released, or until the test has finished. */
const hold = (): { readonly command: string; readonly release: () => void } => {
  const path = join(tmpdir(), `tritype-hold-${randomUUID()}`);
  writeFileSync(path, "");
  const release = (): void => rmSync(path, { force: true });
  onTestFinished(release);
  return { command: `hold ${path}`, release };
};

/** The client's guarantees for streams on every transport and every server. */
export const streamingClientCases = (
  name: string,
  { open, dtypes, statuses, many = 2000 }: StreamingCases,
): void => {
  describe(name, () => {
    let client: StreamingClient<Inputs, Told>;
    beforeAll(() => {
      client = open(teller);
    });
    afterAll(() => client?.close());

    /** The values that a loop receives, and the error that ends it. */
    const tell = async (ask: readonly string[], options = {}) => {
      const texts: (readonly string[])[] = [];
      try {
        for await (const { TEXT } of client.stream({ ASK: ask }, options)) texts.push(TEXT.data);
      } catch (error) {
        return { texts, error };
      }
      return { texts };
    };

    it("yields every answer in order, one by one as they arrive", async () => {
      expect(await tell(["say a", "many 3", "say ü 👩‍🚀", 'say "\\\n\u0000', "many 0", "last b"])).toEqual({
        texts: [["a"], ["0", "1", "2"], ["ü 👩‍🚀"], ['"\\\n\u0000'], [], ["b"]],
      });
      const held = hold();
      const answers = client.stream({ ASK: ["say a", held.command, "say b"] });
      expect(await answers.next()).toMatchObject({ done: false, value: { TEXT: { data: ["a"] } } });
      held.release();
      expect(await answers.next()).toMatchObject({ value: { TEXT: { data: ["b"] } } });
      expect(await answers.next()).toEqual({ done: true, value: undefined });
      expect(await answers.next()).toEqual({ done: true, value: undefined });
    });

    it("throws in a second loop over the same answers", async () => {
      const answers = client.stream({ ASK: ["say a"] });
      for await (const { TEXT } of answers) expect(TEXT.data).toEqual(["a"]);
      await expect(async () => {
        for await (const { TEXT } of answers) expect(TEXT).toBeUndefined();
      }).rejects.toMatchObject({
        kind: "invalid",
        message: "the answers have ended; send another request",
      });
      const left = client.stream({ ASK: ["say a", "say b"] });
      for await (const { TEXT } of left) if (TEXT.data[0] === "a") break;
      expect(() => left[Symbol.asyncIterator]()).toThrow("the answers have ended");
    });

    it("ends immediately if there is no answer", async () => {
      expect(await tell(["end"])).toEqual({ texts: [] });
      expect(await tell([])).toEqual({ texts: [] });
    });

    it(`delivers ${many} answers, and one of ${100 * many} elements`, async () => {
      const { texts } = await tell([`repeat ${many}`, `many ${100 * many}`]);
      expect(texts.slice(0, many)).toEqual(Array.from({ length: many }, (_, i) => [String(i)]));
      const last = texts[many];
      expect([texts.length, last?.length, last?.at(-1)]).toEqual([many + 1, 100 * many, `${100 * many - 1}`]);
    });

    it.each([...dtypes])("%s arrives as it was sent, even in several rows", async (dtype) => {
      const echo = open(copiesOf(dtype));
      const row = fc.tuple(elementOf(dtype), elementOf(dtype));
      await fc.assert(
        fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 4 }), async (rows) => {
          const got: Tensor[] = [];
          for await (const { OUTPUT } of echo.stream({ INPUT: rows }))
            if (OUTPUT !== undefined) got.push(OUTPUT);
          expect(got.map((one) => [one.dtype, one.shape, one.toArray()])).toEqual(
            Array.from({ length: 2 }, () => [dtype, [rows.length, 2], rows]),
          );
        }),
        { numRuns: 8 },
      );
      echo.close();
    });

    it("throws a model's error in the loop, after the answers before it", async () => {
      const refused = (status: number | string | undefined) => ({
        name: "ClientError",
        kind: "refused",
        status,
        mayHaveRun: true,
        message: expect.stringContaining("out of tales"),
      });
      expect(await tell(["fail out of tales"])).toMatchObject({ texts: [], error: refused(statuses[0]) });
      expect(await tell(["say a", "fail out of tales", "say b"])).toMatchObject({
        texts: [["a"]],
        error: refused(statuses[1]),
      });
    });

    it("throws a server's refusal in the loop", async () => {
      const missing = open<Inputs, Told>("no_such_model").stream({ ASK: ["say a"] });
      await expect(missing.next()).rejects.toMatchObject({
        kind: "refused",
        mayHaveRun: false,
        message: expect.stringContaining("'no_such_model' is not found"),
      });
    });

    it("finds a mistake in the request before anything is sent", async () => {
      for (const ASK of [["say a", 7], "say a"] as unknown as readonly string[][])
        expect(await tell(ASK)).toMatchObject({
          error: { kind: "invalid", tensor: "ASK", mayHaveRun: false },
        });
      expect(await tell(["end"], { outputs: ["NOPE"] })).toMatchObject({
        error: { kind: "invalid", message: "teller has no output `NOPE`; its outputs are TEXT" },
      });
    });

    it("cancels when the loop is left", async () => {
      const first = hold();
      for await (const { TEXT } of client.stream({ ASK: ["say a", first.command, "repeat 1000"] })) {
        expect(TEXT.data).toEqual(["a"]);
        break;
      }
      first.release();
      const second = hold();
      const answers = client.stream({ ASK: ["say a", second.command, "say b"] });
      await answers.next();
      const waiting = answers.next();
      expect(await answers.return()).toEqual({ done: true, value: undefined });
      expect(await waiting).toEqual({ done: true, value: undefined });
      second.release();
      expect(await client.stream({ ASK: ["say never"] }).return()).toEqual({ done: true, value: undefined });
    });

    it("ends when the caller's signal aborts, and when the deadline passes", async () => {
      // A waiting model does not notice that its reader has disconnected.
      expect(await tell(["end"])).toEqual({ texts: [] });
      const controller = new AbortController();
      const { signal } = controller;
      const held = hold();
      const answers = client.stream({ ASK: ["say a", held.command, "say b"] }, { signal });
      await answers.next();
      controller.abort();
      await expect(answers.next()).rejects.toMatchObject({ kind: "cancelled", mayHaveRun: true });
      held.release();
      expect(await tell(["say a"], { signal })).toMatchObject({
        texts: [],
        error: { kind: "cancelled", mayHaveRun: false },
      });
      expect(await tell(["end"])).toEqual({ texts: [] });
      expect(await tell(["say a", hold().command, "say b"], { deadlineMs: 1000 })).toMatchObject({
        texts: [["a"]],
        error: { kind: "deadline", message: "the stream did not end within 1000 ms" },
      });
    });

    it("says which call to use, before anything is sent or once the server's contract is known", async () => {
      const words = "teller streams: use `for await (const answer of client.stream(inputs))`";
      const byContract = client as unknown as AnyClient<Inputs, Told>;
      const byName = open<Inputs, Told>("teller") as unknown as AnyClient<Inputs, Told>;
      for (const one of [byContract, byName])
        await expect(one.infer({ ASK: ["say a"] })).rejects.toMatchObject({
          kind: "invalid",
          mayHaveRun: false,
          message: words,
        });
      await expect(
        open<Inputs, Outputs>("echo_int32")
          .stream({ INPUT: [[1]] })
          .next(),
      ).rejects.toMatchObject({
        kind: "invalid",
        message: "echo_int32 answers a request once: call `infer`",
      });
      const stale = open<Inputs, Outputs>({
        name: "echo_int32",
        streams: true,
        inputs: { INPUT: { dtype: "INT32", dims: ["rows", "columns"] } },
        outputs: { OUTPUT: { dtype: "INT32", dims: ["rows", 1] } },
      });
      await expect(stale.stream({ INPUT: [[1]] }).next()).rejects.toMatchObject({ kind: "contract" });
      byName.close();
      stale.close();
    });
  });
};
