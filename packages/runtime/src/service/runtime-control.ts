import { PipelineError } from "@tritype/core";
import { notExplicit } from "../requests/not-explicit.ts";
import type { LoadOverride, ModelStatus, ReloadReport, Runtime } from "../runtime.ts";
import { createInOrder } from "./in-order.ts";
import type { ModelControl } from "./model-control.ts";
import { repositoryIndex } from "./repository-index.ts";
import type { ServedTable } from "./served-table.ts";

/** Who changes what is served. */
export interface RuntimeControl extends Pick<Runtime, "index" | "reload"> {
  /** What is served, being loaded and being unloaded, as Triton's index lists it. */
  statuses(): readonly ModelStatus[];
  /** As `Runtime.load`. @param asker The model that asks, where one does. */
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

/** What is loaded and unloaded by request. */
export const controlByRequest = (models: ModelControl): RuntimeControl => ({
  statuses: () => models.statuses(),
  index: () => models.index(),
  load: async (model, override, asker) => {
    checkModelPath(model);
    await models.load(model, override, asker);
  },
  unload: (model, withMembers = false, asker) => models.unload(model, withMembers, asker),
  reload: () =>
    Promise.reject(
      new PipelineError("model/unavailable", "models are loaded explicitly, not as the repository changes"),
    ),
  close: () => models.close(),
});

/** Source: `ValidateModelName` of Triton core, releases after 24.10. @throws PipelineError `request/invalid` */
const checkModelPath = (name: string): void => {
  if (name.trim() === "")
    throw new PipelineError(
      "request/invalid",
      "Model name cannot be empty. Please enter a valid name to deploy.",
    );
  if (name.trim() === ".." || /[/\\]/.test(name))
    throw new PipelineError(
      "request/invalid",
      `invalid model name '${name}', model name must not contain path traversal characters`,
    );
};
