import { notExplicit } from "../requests/not-explicit.ts";
import type { LoadOverride, ReloadReport, Runtime } from "../runtime.ts";
import { createInOrder } from "./in-order.ts";
import { allReady, repositoryIndex } from "./repository-index.ts";
import type { ServedTable } from "./served-table.ts";

/** Makes all changes to the served models. */
export interface RuntimeControl extends Pick<Runtime, "index" | "reload"> {
  /** Whether all models are ready, with Triton's exceptions. */
  ready(): boolean;
  /**
   * Like `Runtime.load`.
   * @param asker The calling model, if any.
   * @throws PipelineError as `Runtime.load`, and `model/unavailable` while the model is being loaded and after `close`.
   */
  load(model: string, override?: LoadOverride, asker?: string): Promise<void>;
  /** Like `Runtime.unload`. @param asker The calling model, if any. */
  unload(model: string, dependents?: boolean, asker?: string): Promise<void>;
  /** Refuses further changes; resolves when all changes are complete. */
  close(): Promise<void>;
}

/** Serves all models that the repository contains at the start and at each reload. */
export const controlByRepository = (
  served: ServedTable,
  reload: () => Promise<ReloadReport>,
): RuntimeControl => {
  const inOrder = createInOrder();
  const refuse = (): Promise<never> => Promise.reject(notExplicit());
  return {
    ready: () => allReady(served.current()),
    index: async () => repositoryIndex(served.current()),
    load: refuse,
    unload: refuse,
    reload: () => inOrder.run(reload),
    close: () => inOrder.idle(),
  };
};
