import { notExplicit } from "../requests/not-explicit.ts";
import type { LoadOverride, ModelStatus, ReloadReport, Runtime } from "../runtime.ts";
import { createInOrder } from "./in-order.ts";
import { repositoryIndex } from "./repository-index.ts";
import type { ServedTable } from "./served-table.ts";

/** Makes all changes to the served models. */
export interface RuntimeControl extends Pick<Runtime, "index" | "reload"> {
  /** The models that are served, being loaded or being unloaded, as in Triton's index. */
  statuses(): readonly ModelStatus[];
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
  const statuses = (): readonly ModelStatus[] => repositoryIndex(served.current());
  return {
    statuses,
    index: async () => statuses(),
    load: refuse,
    unload: refuse,
    reload: () => inOrder.run(reload),
    close: () => inOrder.idle(),
  };
};
