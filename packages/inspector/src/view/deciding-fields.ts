import type { ModelDetail, ModelView } from "../api.ts";

/** A configuration field that decides how long requests wait or run. */
export interface DecidingField {
  readonly path: string;
  /** Its value, or the default if it is not set. */
  readonly value: string;
  readonly set: boolean;
  /** Its line in the model's config.pbtxt. */
  readonly line?: number;
}

const delay = "dynamic_batching.max_queue_delay_microseconds";
const sizes = "dynamic_batching.preferred_batch_size";
/** By path: what applies if neither the file nor the server has a value. */
const defaults: Readonly<Record<string, string>> = {
  instance_group: "the server decides",
  max_batch_size: "0",
  [sizes]: "any size",
  [delay]: "0",
};

/** @param lines The lines of the fields in the file; undefined for a server that only reports the values. */
export const decidingFields = (
  { fields, instances }: Pick<ModelView, "fields" | "instances">,
  lines: ModelDetail["lines"],
): readonly DecidingField[] => {
  const has = (path: string): boolean => Object.keys(fields).some((one) => `${one}.`.startsWith(`${path}.`));
  const batches = has("dynamic_batching");
  const shown = Object.entries(defaults).filter(([path]) => batches || !path.startsWith("dynamic_batching"));
  if (!batches && !has("sequence_batching")) shown.push(["dynamic_batching", "requests are not combined"]);
  return shown.map(([path, without]) => {
    const line = lines?.[path];
    return {
      path,
      value: (path === "instance_group" ? instances.join(", ") : fields[path]) || without,
      set: lines === undefined ? has(path) : line !== undefined,
      ...(line === undefined ? {} : { line }),
    };
  });
};
