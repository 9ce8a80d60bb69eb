import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { TritonServer, WheelInstallation } from "@tritype/tritonserver";
import { afterAll, beforeAll, expect, test } from "vitest";
import { withTriton } from "../../sentence-embedding/test/real-triton.ts";
import { translateTexts } from "../clients/translate.ts";
import { type BuiltExample, buildExample } from "./built-example.ts";
import { unseen } from "./translations.ts";

const client = fileURLToPath(new URL("../clients/translate.py", import.meta.url));
const asked = unseen.slice(0, 64);

let example: BuiltExample;
beforeAll(async () => {
  example = await buildExample("fp32");
}, 60_000);
afterAll(() => example?.close());

test("a real Triton answers both clients, for single rows and for many at once, including invalid requests", async () => {
  const expected = await Promise.all([asked.slice(0, 32), asked.slice(32)].map(example.translate));
  const use = async ({ httpUrl }: TritonServer, { python }: WheelInstallation): Promise<void> => {
    const [german = { text: "", from: "en", to: "de" }] = asked;
    const wrong = [
      [{ ...german, from: "xx" }, /source_language is "xx"; the languages are de, en, es, fr/],
      [{ ...german, text: " " }, /the text is empty/],
      [{ ...german, text: "one ".repeat(70) }, /row 0 has 72 tokens, but the maximum is 64/],
    ] as const;
    const [first, second, ...singles] = await Promise.all([
      translateTexts(httpUrl, asked.slice(0, 32)),
      translateTexts(httpUrl, asked.slice(32)),
      ...asked.slice(0, 16).map((one) => translateTexts(httpUrl, [one])),
      ...wrong.map(async ([order, says]) => {
        await expect(translateTexts(httpUrl, [order])).rejects.toThrow(says);
        return [];
      }),
    ]);
    expect([first, second]).toEqual(expected);
    expect(singles.flat()).toEqual(first?.slice(0, 16));

    const english = asked.filter(({ from, to }) => from === "en" && to === "de");
    expect(english.length).toBeGreaterThan(2);
    const argv = [client, httpUrl.replace("http://", ""), "en", "de", ...english.map(({ text }) => text)];
    const { stdout } = await promisify(execFile)(python, argv);
    expect(stdout.trim().split("\n")).toEqual(english.map(({ right }) => right));
  };
  await withTriton(example.repository, use);
}, 120_000);
