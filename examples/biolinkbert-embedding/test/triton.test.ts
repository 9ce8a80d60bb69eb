import { execFile } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { TritonServer, WheelInstallation } from "@tritype/tritonserver";
import { afterAll, beforeAll, expect, test } from "vitest";
import { holds, measureInvariance, recordedInvariance } from "../../../test/fixtures/invariance.ts";
import { withTriton } from "../../sentence-embedding/test/real-triton.ts";
import { variedTexts } from "../../sentence-embedding/test/varied-texts.ts";
import { largestDifference, type Vector } from "../../sentence-embedding/test/vectors.ts";
import { embedTexts } from "../clients/embed.ts";
import { type BuiltExample, buildExample } from "./built-example.ts";

const recorded = recordedInvariance(new URL("../README.md", import.meta.url));
const client = fileURLToPath(new URL("../clients/embed.py", import.meta.url));
const texts = variedTexts.filter((_, index) => index % 2 === 1).slice(0, 16);

let example: BuiltExample;
beforeAll(async () => {
  example = await buildExample("mean");
});
afterAll(() => example?.close());

test("a real Triton with the cpu profile gives both clients the same answers as the local runtime, in any batch", async () => {
  const expected = await example.embed(texts);
  const use = async ({ httpUrl }: TritonServer, { python }: WheelInstallation): Promise<void> => {
    const embed = (rows: readonly string[]): Promise<readonly Vector[]> => embedTexts(httpUrl, rows);
    expect(largestDifference(await embed(texts), expected)).toBeLessThan(1e-6);
    const argv = [client, httpUrl.replace("http://", ""), ...texts];
    const { stdout } = await promisify(execFile)(python, argv, { maxBuffer: 2 ** 24 });
    expect(largestDifference(JSON.parse(stdout) as Vector[], expected)).toBeLessThan(1e-6);
    const measured = await measureInvariance(embed, texts, "a word ".repeat(600));
    expect(measured).toSatisfy((figures: typeof measured) => holds(figures, recorded));
  };
  await withTriton(join(example.build, "model_repository"), use, ["--model-config-name=cpu"]);
}, 120_000);
