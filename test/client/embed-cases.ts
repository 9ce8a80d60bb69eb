import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { EmbedClient, EmbedContract } from "./emitted.ts";

/** How these cases reach the example's ensemble. */
export interface EmbedCases {
  readonly contract: () => EmbedContract;
  /** Opens a client with the emitted contract, or with another one. */
  readonly open: (contract: EmbedContract, options?: { readonly version?: string }) => EmbedClient;
  /** Clients made from the ensemble's name or its definition, with the types of `tritype/client`. */
  readonly others: () => Readonly<Record<string, EmbedClient>>;
}

const texts = [
  "a cat sat on the mat",
  "a kitten was sitting on the rug",
  "interest rates rose by half a point",
];
const dot = (a: readonly number[] = [], b: readonly number[] = []): number =>
  a.reduce((sum, x, i) => sum + x * (b[i] ?? 0), 0);

/** The behaviour of a built ensemble's client with every server. */
export const embedCases = (name: string, { contract, open, others }: EmbedCases): void => {
  describe(name, () => {
    let client: EmbedClient;
    beforeAll(() => {
      client = open(contract());
    });
    afterAll(() => client?.close());

    it("returns typed values of the requested outputs", async () => {
      const { embedding } = await client.infer({ text: texts });
      expect([embedding.dtype, embedding.shape, embedding.data.constructor.name]).toEqual([
        "FP32",
        [3, 128],
        "Float32Array",
      ]);
      const [cat, kitten, rates] = embedding.toArray();
      expect(dot(cat, cat)).toBeCloseTo(1, 5);
      expect(dot(cat, kitten)).toBeGreaterThan(dot(cat, rates) + 0.2);
    });

    it("gives the same answers however the client was made", async () => {
      const { embedding } = await client.infer({ text: texts });
      for (const [how, other] of Object.entries(others())) {
        const answer = await other.infer(
          { text: { data: texts, shape: [3, 1] } },
          { outputs: ["embedding"] },
        );
        expect([how, answer.embedding.data]).toEqual([how, embedding.data]);
        other.close();
      }
    });

    it("keeps parallel requests apart", async () => {
      const answers = await Promise.all(
        Array.from({ length: 12 }, (_, n) =>
          client.infer({ text: texts.slice(0, 1 + (n % 3)) }, { id: `r${n}` }),
        ),
      );
      expect(answers.map(({ embedding }) => embedding.shape)).toEqual(
        answers.map((_, n) => [1 + (n % 3), 128]),
      );
    });

    it("accepts text of any kind, and bytes", async () => {
      const odd = ["", "ü\u0000ß", "👩‍🚀", "x".repeat(5000)];
      const { embedding } = await client.infer({ text: odd }, { deadlineMs: 60_000 });
      const bytes = await client.infer({ text: odd.map((text) => new TextEncoder().encode(text)) });
      expect(bytes.embedding.data).toEqual(embedding.data);
    });

    it("reports refusals with the server's message", async () => {
      const many = Array.from({ length: 65 }, () => "x");
      await expect(client.infer({ text: many })).rejects.toMatchObject({
        kind: "refused",
        message: expect.stringMatching(/batch-size must be <= 64 for 'embed'/),
      });
      const other = open(contract(), { version: "7" });
      await expect(other.infer({ text: ["x"] })).rejects.toMatchObject({
        kind: "refused",
        message: expect.stringMatching(/'embed' version 7 is not found/),
      });
      other.close();
    });

    it("reports the differences to a stale client before the first inference", async () => {
      const stale = open({
        name: "embed",
        hash: "0".repeat(64),
        inputs: {
          text: { dtype: "BYTES", dims: ["batch", 1] },
          language: { dtype: "BYTES", dims: ["batch", 1] },
        },
        outputs: { embedding: { dtype: "FP16", dims: ["batch", 384] } },
      });
      await expect(stale.check()).rejects.toMatchObject({
        kind: "contract",
        differences: [
          { side: "input", tensor: "language", expected: "BYTES[batch, 1]", got: undefined },
          { side: "output", tensor: "embedding", expected: "FP16[batch, 384]", got: "FP32[batch, 128]" },
        ],
      });
      stale.close();
    });

    it("respects deadlines, and stops when cancelled", async () => {
      await client.infer({ text: ["x"] }, { deadlineMs: 60_000 });
      await expect(client.infer({ text: texts }, { deadlineMs: 0.01 })).rejects.toMatchObject({
        kind: "deadline",
      });
      const controller = new AbortController();
      const call = client.infer({ text: texts }, { signal: controller.signal });
      // Runs before the answer can be read, even on a busy machine.
      queueMicrotask(() => controller.abort());
      await expect(call).rejects.toMatchObject({ kind: "cancelled" });
      expect(await client.ready()).toBe(true);
    });
  });
};
