import { readFileSync, statSync } from "node:fs";
import { resolve } from "node:path";
import type { ManifestChat } from "@tritype/manifest";
import { type Given, usage } from "../command.ts";
import { shownPath } from "../shown-path.ts";

/**
 * The chat template in the folder of `--tokenizer`, for models that were not built by Tritype.
 * @throws PipelineError `usage/invalid` if there is none.
 */
export const givenChat = async (given: Given, cwd: string): Promise<ManifestChat | undefined> => {
  const named = given.text("tokenizer");
  if (named === undefined) return undefined;
  const { chatFormat } = await import("@tritype/compiler");
  const folder = resolve(cwd, named);
  const readFile = (path: string): Uint8Array | undefined =>
    statSync(path, { throwIfNoEntry: false })?.isFile() === true ? readFileSync(path) : undefined;
  const chat = chatFormat({ readFile }, folder, [], new Map());
  if (chat !== undefined) return chat;
  throw usage(
    `--tokenizer ${shownPath(cwd, folder)} has no chat template`,
    "name a folder that contains chat_template.jinja, or a tokenizer_config.json with `chat_template`",
  );
};
