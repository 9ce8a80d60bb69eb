import { generalError } from "@tritype/core";
import { z } from "zod";
import type { ModelMetadata, ModelStatistics, ServerMetadata } from "./metadata.ts";

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

const none = { count: 0, ns: 0 };
const duration = z
  .object({ count: z.coerce.number().default(0), ns: z.coerce.number().default(0) })
  .default(none);

/** Over gRPC, what is zero may be left out. */
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
          })
          .prefault({}),
        batch_stats: z
          .array(z.object({ batch_size: z.coerce.number(), compute_infer: duration }))
          .default([]),
      }),
    )
    .default([]),
});

/** Statistics of every model as a server gave them. @throws PipelineError `request/malformed`. */
export const parseModelStatistics = (answer: unknown): readonly ModelStatistics[] =>
  check(allStatistics, answer).model_stats;
/** Metadata of a model as a server gave it. @throws PipelineError `request/malformed`. */
export const parseModelMetadata = (answer: unknown): ModelMetadata => check(modelMetadata, answer);
/** Metadata of a server as it gave it. @throws PipelineError `request/malformed`. */
export const parseServerMetadata = (answer: unknown): ServerMetadata => check(serverMetadata, answer);

const check = <T>(schema: z.ZodType<T>, answer: unknown): T => {
  const result = schema.safeParse(answer);
  if (result.success) return result.data;
  throw generalError("server/unreadable-answer", { why: z.prettifyError(result.error) });
};
