import { randomUUID } from "node:crypto";
import { join } from "node:path";
import type { ManifestChat } from "@tritype/manifest";
import { createOpenAiApi, type OpenAiApi, type TextDescriptions } from "@tritype/openai";
import {
  openTokenCounters,
  readRepositoryManifest,
  type Runtime,
  type TokenCounters,
} from "@tritype/runtime";
import type { Terminal } from "../terminal.ts";
import { stampOf } from "./input-stamps.ts";

/** OpenAI's API for the models of a runtime. */
export const openOpenAi = (
  runtime: Runtime,
  repository: string,
  chat: ManifestChat | undefined,
  notice: (text: string) => void,
): OpenAiApi => {
  const readBuild = buildReader(repository, notice);
  return createOpenAiApi({
    server: {
      readyModels: () => [
        ...new Set(runtime.models().flatMap(({ name, state }) => (state === "READY" ? [name] : []))),
      ],
      modelMetadata: (model) => runtime.modelMetadata(model),
      modelConfig: (model) => runtime.modelConfig(model),
      tokenCounter: async (tokenizer) => (await readBuild()).tokenCounter(tokenizer),
    },
    descriptions: async () => ({ built: (await readBuild()).models, chat }),
    now: Date.now,
    newId: randomUUID,
  });
};

interface ReadBuild {
  readonly models: TextDescriptions["built"];
  readonly tokenCounter: TokenCounters;
}

/** Reads the build's manifest again when it has changed. */
const buildReader = (repository: string, notice: (text: string) => void): (() => Promise<ReadBuild>) => {
  const path = join(repository, "..", "manifest.json");
  let read: (ReadBuild & { readonly stamp: string }) | undefined;
  return async () => {
    const stamp = stampOf(path);
    if (read?.stamp === stamp) return read;
    const manifest = await readRepositoryManifest(repository);
    const models = (manifest?.ensembles ?? []).flatMap(({ name, textModel }) =>
      textModel === undefined ? [] : [[name, textModel] as const],
    );
    const tokenCounter = openTokenCounters(repository, manifest?.models ?? [], notice);
    read = { stamp, models: new Map(models), tokenCounter };
    return read;
  };
};

/** The startup line about OpenAI's API; none if no model continues text. */
export const openAiLines = async (
  api: OpenAiApi,
  url: string,
  { colors }: Terminal,
): Promise<readonly string[]> => {
  const models = await api.models();
  if (models.length === 0) return [];
  const silent = models.filter(({ chats }) => !chats).map(({ name }) => name);
  const names = models.map(({ name }) => name).join(", ");
  return [
    `  OpenAI API at ${url}/v1: ${names}`,
    ...(silent.length === 0
      ? []
      : [
          `      ${colors.dim("=")} completions only, because there is no chat template: ${silent.join(", ")}`,
        ]),
  ];
};
