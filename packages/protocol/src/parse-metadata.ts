import { generalError } from "@tritype/core";
import { z } from "zod";
import type { ModelMetadata, ModelStatistics, RepositoryEntry, ServerMetadata } from "./metadata.ts";

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

const given = z
  .string()
  .optional()
  .transform((text) => text || undefined);
const repositoryIndex = z.array(
  z.object({ name: z.string(), version: given, state: given, reason: given }),
) satisfies z.ZodType<readonly RepositoryEntry[]>;

const none = { count: 0, ns: 0 };
const duration = z
  .object({ count: z.coerce.number().default(0), ns: z.coerce.number().default(0) })
  .default(none);

/** Over gRPC, zero values may be omitted. */
const allStatistics = z.object({
  model_stats: z
    .array(
      z.object({
        name: z.string(),
        version: z.string(),
        inference_count: z.coerce.number().default(0),
        execution_count: z.coerce.number().default(0),
        inference_stats: z
          .object({
            success: duration,
            fail: duration,
            queue: duration,
            compute_input: duration,
            compute_infer: duration,
            compute_output: duration,
            cache_hit: duration,
            cache_miss: duration,
          })
          .prefault({}),
        batch_stats: z
          .array(z.object({ batch_size: z.coerce.number(), compute_infer: duration }))
          .default([]),
      }),
    )
    .default([]),
});

/** Parses the statistics of every model from a server. @throws PipelineError `request/malformed`. */
export const parseModelStatistics = (answer: unknown): readonly ModelStatistics[] =>
  check(allStatistics, answer).model_stats;
/** Parses the metadata of a model from a server. @throws PipelineError `request/malformed`. */
export const parseModelMetadata = (answer: unknown): ModelMetadata => check(modelMetadata, answer);
/** Parses the metadata of a server. @throws PipelineError `request/malformed`. */
export const parseServerMetadata = (answer: unknown): ServerMetadata => check(serverMetadata, answer);
/** Parses the index of a server's repository. @throws PipelineError `request/malformed`. */
export const parseRepositoryIndex = (answer: unknown): readonly RepositoryEntry[] =>
  check(repositoryIndex, answer);

const check = <T>(schema: z.ZodType<T>, answer: unknown): T => {
  const result = schema.safeParse(answer);
  if (result.success) return result.data;
  throw generalError("server/unreadable-answer", { why: z.prettifyError(result.error) });
};
