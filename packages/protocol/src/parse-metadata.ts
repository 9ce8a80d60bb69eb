import { PipelineError } from "@tritype/core";
import { z } from "zod";
import type { ModelMetadata, ServerMetadata } from "./metadata.ts";

const tensor = z.object({ name: z.string(), datatype: z.string(), shape: z.array(z.coerce.number()) });

const modelMetadata = z.object({
  name: z.string(),
  versions: z.array(z.string()).default([]),
  platform: z.string().default(""),
  inputs: z.array(tensor).default([]),
  outputs: z.array(tensor).default([]),
}) satisfies z.ZodType<ModelMetadata>;

const serverMetadata = z.object({
  name: z.string(),
  version: z.string(),
  extensions: z.array(z.string()).default([]),
}) satisfies z.ZodType<ServerMetadata>;

/** Metadata of a model as a server gave it. @throws PipelineError `request/malformed`. */
export const parseModelMetadata = (answer: unknown): ModelMetadata => check(modelMetadata, answer);
/** Metadata of a server as it gave it. @throws PipelineError `request/malformed`. */
export const parseServerMetadata = (answer: unknown): ServerMetadata => check(serverMetadata, answer);

const check = <T>(schema: z.ZodType<T>, answer: unknown): T => {
  const result = schema.safeParse(answer);
  if (result.success) return result.data;
  throw new PipelineError(
    "request/malformed",
    `the server's answer cannot be read: ${z.prettifyError(result.error)}`,
  );
};
