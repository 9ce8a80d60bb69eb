import type { ModelVersion } from "../backend.ts";
import { runtimeError } from "../errors.ts";

/** The options that the manifest has for a twin. @throws PipelineError `repository/invalid` if no build wrote them. */
export const readOptions = <T>(schema: Schema<T>, given: unknown, { name }: ModelVersion): T => {
  const read = schema.safeParse(given);
  if (read.success) return read.data;
  throw runtimeError("manifest/twin-options", { model: name }, { cause: read.error });
};

interface Schema<T> {
  readonly safeParse: (
    given: unknown,
  ) => { readonly success: true; readonly data: T } | { readonly success: false; readonly error: unknown };
}
