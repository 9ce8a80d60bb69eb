import { randomUUID } from "node:crypto";
import { join } from "node:path";
import type { ManifestChat } from "@tritype/manifest";
import { createOpenAiApi, type OpenAiApi, type TextDescriptions } from "@tritype/openai";
import { readRepositoryManifest, type Runtime } from "@tritype/runtime";
import type { Terminal } from "../terminal.ts";
import { stampOf } from "./input-stamps.ts";

/** OpenAI's API for the models of a runtime. */
export const openOpenAi = (runtime: Runtime, repository: string, chat: ManifestChat | undefined): OpenAiApi =>
  createOpenAiApi({
    server: {
      readyModels: () => [
        ...new Set(runtime.models().flatMap(({ name, state }) => (state === "READY" ? [name] : []))),
      ],
      modelMetadata: (model) => runtime.modelMetadata(model),
      modelConfig: (model) => runtime.modelConfig(model),
    },
    descriptions: describing(repository, chat),
    now: Date.now,
    newId: randomUUID,
  });

/** Reads the build's manifest again when it has changed. */
const describing = (
  repository: string,
  chat: ManifestChat | undefined,
): (() => Promise<TextDescriptions>) => {
  const manifest = join(repository, "..", "manifest.json");
  let read = { stamp: "", built: new Map() as TextDescriptions["built"] };
  return async () => {
    const stamp = stampOf(manifest);
    if (stamp !== read.stamp) {
      const ensembles = (await readRepositoryManifest(repository))?.ensembles ?? [];
      const built = ensembles.flatMap(({ name, textModel }) =>
        textModel === undefined ? [] : [[name, textModel] as const],
      );
      read = { stamp, built: new Map(built) };
    }
    return { built: read.built, chat };
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
