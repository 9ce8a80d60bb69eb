import { notExplicit } from "../requests/not-explicit.ts";
import type { LoadOverride, ModelStatus, ReloadReport, Runtime } from "../runtime.ts";
import { createInOrder } from "./in-order.ts";
import { repositoryIndex } from "./repository-index.ts";
import type { ServedTable } from "./served-table.ts";

/** Who changes what is served. */
export interface RuntimeControl extends Pick<Runtime, "index" | "reload"> {
  /** What is served, being loaded and being unloaded, as Triton's index lists it. */
  statuses(): readonly ModelStatus[];
  /**
   * As `Runtime.load`. @param asker The model that asks, where one does.
   * @throws PipelineError also `model/unavailable` for a model that is being loaded, and after `close`.
   */
  load(model: string, override?: LoadOverride, asker?: string): Promise<void>;
  /** As `Runtime.unload`. @param asker The model that asks, where one does. */
  unload(model: string, dependents?: boolean, asker?: string): Promise<void>;
  /** Begins no further change; resolves when nothing changes any more. */
  close(): Promise<void>;
}

/** All models of the repository, as they are at the start and at each reload. */
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
