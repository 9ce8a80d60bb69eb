import { cp } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { InferCall } from "@tritype/client";
import { tensorOf, valuesOf } from "@tritype/core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { installTime, type Judged, judgeRepository, type TemporaryFolder, temporaryFolder } from "./judge.ts";
import { expectSameAnswers } from "./same-answers.ts";

/** The golden project `versions`, on a real Triton and on the local runtime. */
let folder: TemporaryFolder;
let judged: Judged;
beforeAll(async () => {
  folder = await temporaryFolder();
  await cp(fileURLToPath(new URL("../golden/versions/expected", import.meta.url)), folder.path, {
    recursive: true,
  });
  judged = await judgeRepository(join(folder.path, "model_repository"));
}, installTime);
afterAll(async () => {
  await judged?.stop();
  await folder.remove();
});

const x = new Map([["x", tensorOf("FP32", [2, 4], [1, 2, 3, 4, -1, -2, -3, -4])]]);
const text = new Map([["text", tensorOf("BYTES", [2, 1], ["the cat sat", "naïve 日本"])]]);

const calls: Readonly<Record<string, InferCall>> = {
  "two versions in one ensemble": { model: "drift", inputs: x },
  "one version, pinned": { model: "stable", inputs: x },
  "the pinned and the latest tokenizer": { model: "ids", inputs: text },
  "the model's latest version": { model: "scale", inputs: x },
  "version 1 of the model": { model: "scale", version: "1", inputs: x },
  "version 2 of the model": { model: "scale", version: "2", inputs: x },
  "a version that does not exist": { model: "scale", version: "3", inputs: x },
  "a version that the policy does not serve": { model: "tokenize", version: "1", inputs: text },
  "the version of the tokenizer that it serves": { model: "tokenize", version: "2", inputs: text },
};

test.each(Object.entries(calls))("both give the same answers: %s", async (_, call) => {
  await expectSameAnswers(judged, call);
});

test("each version answers with its own file", async () => {
  const firstOf = async (model: string, output: string, version?: string): Promise<unknown> => {
    const { outputs } = await judged.local.infer({
      model,
      id: "",
      inputs: x,
      ...(version === undefined ? {} : { version }),
    });
    const tensor = outputs.get(output);
    return tensor === undefined ? undefined : valuesOf(tensor).slice(0, 4);
  };
  expect(await firstOf("scale", "y", "1")).toEqual([2, 4, 6, 8]);
  expect(await firstOf("scale", "y", "2")).toEqual([3, 6, 9, 12]);
  expect(await firstOf("scale", "y")).toEqual([3, 6, 9, 12]);
  expect(await firstOf("stable", "y")).toEqual([2, 4, 6, 8]);
  expect(await firstOf("drift", "change")).toEqual([1, 2, 3, 4]);
  expect(await firstOf("drift", "latest")).toEqual([3, 6, 9, 12]);
});

test("the versions selected by the policies are served, with their twins", () => {
  expect(judged.local.models().map(({ name, version }) => `${name} ${version}`)).toEqual([
    "drift 1",
    "drift_change 1",
    "ids 1",
    "ids_input_ids 1",
    "scale 1",
    "scale 2",
    "stable 1",
    "tokenize 2",
  ]);
  expect(judged.notices).toEqual([]);
});
