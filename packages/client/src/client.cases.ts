import type { DType, NamedTensors, TensorData } from "@tritype/core";
import { tensorOf } from "@tritype/core";
import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { everyDType, tensorArbitrary } from "../../protocol/src/tensor-arbitrary.fixture.ts";
import type { ClientOptions, InferenceClient } from "./inference-client.ts";

/** The models that a server must have loaded for these cases, and its address. */
export interface ClientCases {
  readonly open: (options?: ClientOptions) => InferenceClient | Promise<InferenceClient>;
  /**
   * Name of the unbatched model for a dtype that returns its `INPUT`, with two variable dims, as `OUTPUT`; undefined if
   * there is none.
   */
  readonly echo: (dtype: DType) => string | undefined;
  /** The client's message for a wrong rank if the server's reason is lost in transit; see grpc-client.ts. */
  readonly wrongRank?: RegExp;
}

/** The behaviour that every client and every server must share. */
export const clientCases = (name: string, { open, echo, wrongRank }: ClientCases): void => {
  describe(name, () => {
    let client: InferenceClient;
    beforeAll(async () => {
      client = await open();
    });
    afterAll(() => client.close());
    const dtypes = everyDType.filter((dtype) => echo(dtype) !== undefined);
    const model = echo("INT32") ?? "";
    const one: NamedTensors = new Map([["INPUT", tensorOf("INT32", [1, 2], [1, -2])]]);

    it("reports that the server is live and ready", async () => {
      expect([await client.live(), await client.ready()]).toEqual([true, true]);
    });

    it("returns the server's metadata", async () => {
      const metadata = await client.serverMetadata();
      expect([metadata.name, metadata.version, ...metadata.extensions].every((text) => text.length > 0)).toBe(
        true,
      );
    });

    it("returns a model's metadata and configuration", async () => {
      const metadata = await client.modelMetadata(model);
      expect(metadata).toMatchObject({
        name: model,
        versions: ["1"],
        inputs: [{ name: "INPUT", datatype: "INT32", shape: [-1, -1] }],
        outputs: [{ name: "OUTPUT", datatype: "INT32", shape: [-1, -1] }],
      });
      expect(await client.modelConfig(model, "1")).toMatchObject({
        name: model,
        max_batch_size: 0,
        input: [{ name: "INPUT", data_type: "TYPE_INT32", dims: [-1, -1] }],
      });
    });

    it("lists the models of the repository", async () => {
      expect(await client.repositoryIndex()).toContainEqual({ name: model, version: "1", state: "READY" });
    });

    it.each(dtypes)("%s is returned bit for bit", async (dtype) => {
      const shape = fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 2, maxLength: 2 });
      await fc.assert(
        fc.asyncProperty(tensorArbitrary(dtype, false, shape), async (x: TensorData) => {
          const outputs = await client.infer({ model: echo(dtype) ?? "", inputs: new Map([["INPUT", x]]) });
          expect([...outputs]).toEqual([["OUTPUT", x]]);
        }),
        { numRuns: 20 },
      );
    });

    it.each([2 ** 31, Number.MAX_SAFE_INTEGER, Infinity])(
      "has no limit with a timeout of %d ms",
      async (timeoutMs) => {
        const patient = await open({ timeoutMs });
        const outputs = await patient.infer({ model, inputs: one });
        expect(outputs.get("OUTPUT")).toEqual(one.get("INPUT"));
        await patient.close();
      },
    );

    it("accepts a version, an id, parameters and requested outputs", async () => {
      const outputs = await client.infer({
        model,
        version: "1",
        id: "ü-7",
        inputs: one,
        outputs: ["OUTPUT"],
        parameters: { note: "x", count: 3, exact: true },
      });
      expect([...outputs]).toEqual([["OUTPUT", one.get("INPUT")]]);
    });

    it.each<[string, string, Partial<Parameters<InferenceClient["infer"]>[0]>, RegExp]>([
      [
        "an unknown model",
        "model/not-found",
        { model: "no_such_model" },
        /^Request for unknown model: 'no_such_model' is not found/,
      ],
      ["an unknown version", "model/not-found", { version: "7" }, /version 7 is not found/],
      ["an unknown output", "request/invalid", { outputs: ["NOPE"] }, /unexpected inference output 'NOPE'/],
      [
        "an unknown input",
        "request/invalid",
        { inputs: new Map([["NOPE", tensorOf("INT32", [1, 1], [1])]]) },
        /unexpected inference input 'NOPE'/,
      ],
      [
        "another dtype",
        "request/invalid",
        { inputs: new Map([["INPUT", tensorOf("FP32", [1, 1], [1])]]) },
        /data-type is 'FP32', but model '.*' expects 'INT32'/,
      ],
      [
        "another rank",
        "request/invalid",
        { inputs: new Map([["INPUT", tensorOf("INT32", [1], [1])]]) },
        wrongRank ?? /Expected \[-1,-1\], got \[1\]/,
      ],
    ])("%s is %s", async (_, code, change, text) => {
      const failure = await client.infer({ model, inputs: one, ...change }).catch((error: unknown) => error);
      expect(failure).toMatchObject({ name: "PipelineError", code, message: expect.stringMatching(text) });
    });

    it("metadata of an unknown model fails with model/not-found", async () => {
      await expect(client.modelMetadata("no_such_model")).rejects.toMatchObject({ code: "model/not-found" });
    });
  });
};
