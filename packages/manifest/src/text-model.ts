import { z } from "zod";
import { type TextSettings, textSettingsSchema } from "./generate-options.ts";

/** How an ensemble continues a text, for clients that work with prompts and settings rather than tensors. */
export interface ManifestTextModel {
  /** The input for the prompt, BYTES[batch, 1]. */
  readonly prompt: string;
  /** The output with the text, BYTES[batch, 1]. */
  readonly text: string;
  /** The output with the generated tokens; absent if the ensemble does not return them. */
  readonly tokens?: string | undefined;
  /** The output with the reason why the text ends; absent if the ensemble does not return it. */
  readonly finishReason?: string | undefined;
  /** The model that tokenizes the prompt. */
  readonly tokenizer: string;
  /** The settings for a request that sets none. */
  readonly settings: TextSettings;
  /** A setting that requests may specify → the ensemble's input for it. */
  readonly perRequest: Readonly<Record<string, string>>;
  /** Turns a conversation into a prompt; absent if the tokenizer has no chat template. */
  readonly chat?: ManifestChat | undefined;
}

/** The chat template of a tokenizer. */
export interface ManifestChat {
  /** Jinja. */
  readonly template: string;
  /** The variables for special tokens: `bos_token`, `eos_token`, … */
  readonly tokens: Readonly<Record<string, string>>;
  /** The special tokens that the tokenizer adds before every text. */
  readonly before: readonly string[];
  /** The special tokens that it adds after every text. */
  readonly after: readonly string[];
}

export const textModelSchema: z.ZodType<ManifestTextModel> = z
  .object({
    prompt: z.string().describe("The input for the prompt, BYTES[batch, 1]."),
    text: z.string().describe("The output with the text, BYTES[batch, 1]."),
    tokens: z.string().optional().describe("The output with the generated tokens."),
    finishReason: z
      .string()
      .optional()
      .describe('The output with the reason why the text ends, "stop" or "length", in the last response.'),
    tokenizer: z.string().describe("The model that tokenizes the prompt."),
    settings: textSettingsSchema.describe("The settings for a request that specifies none."),
    perRequest: z
      .record(z.string(), z.string())
      .describe("Settings that requests may specify, each with the ensemble's input for it."),
    chat: z
      .object({
        template: z.string().describe("Jinja: turns a conversation into a prompt."),
        tokens: z.record(z.string(), z.string()).describe("Special tokens, as variables in the template."),
        before: z.array(z.string()).describe("Special tokens that the tokenizer adds before every text."),
        after: z.array(z.string()).describe("Special tokens that the tokenizer adds after every text."),
      })
      .optional(),
  })
  .describe("How it continues a text, for clients that work with prompts and settings rather than tensors.");
