import { messageOf } from "@tritype/core";
import { runtimeError } from "../errors.ts";

type Reason = "model/twin-not-loaded" | "model/function-not-loaded";

/**
 * The instances of a twin. If one cannot be opened, the others are closed.
 * @param reason Default: a twin of emitted Python.
 * @throws PipelineError with this reason.
 */
export const openInstances = <T extends { close(): Promise<void> }>(
  step: string,
  opening: readonly Promise<T>[],
  reason: Reason = "model/twin-not-loaded",
): Promise<readonly T[]> =>
  Promise.all(opening).catch(async (cause: unknown) => {
    for (const opened of await Promise.allSettled(opening))
      if (opened.status === "fulfilled") await opened.value.close();
    const why = messageOf(cause);
    throw runtimeError(reason, { step, why }, { cause });
  });
