import { messageOf } from "@tritype/core";
import { runtimeError } from "../errors.ts";

/**
 * The instances of a twin. If one cannot be opened, the others are closed.
 * @throws PipelineError `model/twin-not-loaded`.
 */
export const openInstances = <T extends { close(): Promise<void> }>(
  step: string,
  opening: readonly Promise<T>[],
): Promise<readonly T[]> =>
  Promise.all(opening).catch(async (cause: unknown) => {
    for (const opened of await Promise.allSettled(opening))
      if (opened.status === "fulfilled") await opened.value.close();
    const why = messageOf(cause);
    throw runtimeError("model/twin-not-loaded", { step, why }, { cause });
  });
