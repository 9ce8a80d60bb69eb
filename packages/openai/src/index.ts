export type { TextDescriptions } from "./find-models.ts";
export { createOpenAiApi, type OpenAiOptions, type OpenAiApi } from "./open-ai-api.ts";
