import { readFileSync } from "node:fs";
import { invariant } from "@tritype/core";
import { fencesOf } from "../docs/markdown-fences.ts";
import { byteTokenizer } from "./byte-tokenizer.ts";

/** The folder of the model in the program of docs/streaming.md. */
export const chatFolder = "models/chat";

export const readFixture = (name: string): Uint8Array =>
  readFileSync(new URL(`../fixtures/generate/gpt2/${name}`, import.meta.url));

/** The files of a tiny exported GPT-2. */
export const exportedGpt2 = (folder: string): Readonly<Record<string, Uint8Array>> =>
  Object.fromEntries(
    ["model.onnx", "config.json", "generation_config.json"].map((name) => [
      `${folder}/${name}`,
      readFixture(name),
    ]),
  );

/** The files of the guide's program, with a tiny model whose tokens are bytes. */
export const chatFiles = (): Readonly<Record<string, string | Uint8Array>> => ({
  [`${chatFolder}/tokenizer.json`]: byteTokenizer(),
  ...exportedGpt2(chatFolder),
});

/** The text of a file in the guide: `pipeline.ts` or `page.html`. */
export const guideText = (file: string): string => {
  const page = readFileSync(new URL("../../docs/streaming.md", import.meta.url), "utf8");
  const found = fencesOf(page).find(({ info }) => info.split(" ").at(-1) === file);
  invariant(found !== undefined, `the guide has ${file}`);
  return found.text;
};
