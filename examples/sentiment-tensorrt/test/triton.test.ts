import { join } from "node:path";
import { tensorOf } from "@tritype/core";
import { createClient } from "tritype/client";
import { afterAll, beforeAll, expect, test } from "vitest";
import { withTriton } from "../../sentence-embedding/test/real-triton.ts";
import type { sentiment } from "../pipeline.ts";
import { type Answer, answersOf, type BuiltExample, buildExample } from "./built-example.ts";
import { heldOut, inBatches } from "./held-out.ts";

let example: BuiltExample;
beforeAll(async () => {
  example = await buildExample();
}, 60_000);
afterAll(() => example?.close());

test("a real Triton with the cpu profile gives the same answers as the local runtime", async () => {
  const expected = await inBatches(heldOut, example.answer);
  const serve = async ({ httpUrl: url }: { readonly httpUrl: string }): Promise<void> => {
    const client = createClient<typeof sentiment>({ url, ensemble: "sentiment" });
    const answer = async (texts: readonly string[]): Promise<readonly Answer[]> => {
      const { label, score, scores, verdict } = await client.infer({ text: texts }, { deadlineMs: 20_000 });
      return answersOf(
        new Map([
          ["label", tensorOf("BYTES", [texts.length, 1], label.data)],
          ["score", tensorOf("FP32", [texts.length, 1], [...score.data])],
          ["scores", tensorOf("FP32", [texts.length, 2], [...scores.data])],
          ["verdict", tensorOf("BYTES", [texts.length, 1], verdict.data)],
        ]),
      );
    };
    const answers = await inBatches(heldOut, answer);
    expect(answers.map(({ label }) => label)).toEqual(expected.map(({ label }) => label));
    for (const [row, { score, verdict, label }] of answers.entries()) {
      expect(score).toBeCloseTo(expected[row]?.score ?? 0, 5);
      expect(JSON.parse(verdict)).toEqual({ label, score });
    }
    const right = heldOut.filter(({ label }, row) => answers[row]?.best === label).length;
    expect(right / heldOut.length).toBeGreaterThanOrEqual(0.85);
    await expect(answer(["a word ".repeat(200)])).rejects.toThrow(
      /row 0 has 404 tokens, but the maximum is 128/,
    );
    await expect(answer(["fine", "@all"])).rejects.toThrow(/row 1: .*no text is left after cleaning/);
  };
  await withTriton(join(example.build, "model_repository"), serve, ["--model-config-name=cpu"]);
}, 120_000);
