import { didYouMean, nearHelp } from "@tritype/core";
import { configMessage, fieldPlaces } from "@tritype/triton";

/** The likely meaning of a field that its message does not have, or where it belongs. */
export const fieldHint = (field: string, owner: string, map: string | undefined): string | undefined => {
  if (map !== undefined) {
    return nearHelp(didYouMean(field, ["key", "value"])) ?? belongs(field, map);
  }
  const own = configMessage(owner)?.fields ?? [];
  return (
    inMicroseconds(field, own) ??
    renamed(field, own) ??
    belongs(field, undefined) ??
    nearHelp(didYouMean(field, own))
  );
};

/** Suggests a name in microseconds, because all durations are in microseconds and are named accordingly. */
const inMicroseconds = (field: string, own: readonly string[]): string | undefined => {
  const stem = field.replace(/_(?:ms|millis|milliseconds|us|usec|micros|s|sec|secs|seconds|ns)$/, "");
  const name = `${stem}_microseconds`;
  if (name === field || fieldPlaces(name).length === 0) return undefined;
  return `did you mean \`${name}\`${own.includes(name) ? "" : placeOf(name)}? 1 ms is 1000 µs`;
};

const renamed = (field: string, own: readonly string[]): string | undefined => {
  const names = otherNames.get(field) ?? [];
  const [first] = names;
  const fits = names.find((name) => own.includes(name));
  if (fits !== undefined || first === undefined || fieldPlaces(field).length > 0) return nearHelp(fits);
  return `did you mean \`${first}\`${placeOf(first)}?`;
};

/**
 * Names that people use for a field because other formats do. If a name could mean several fields, the field that the
 * message has is suggested.
 */
const otherNames: ReadonlyMap<string, readonly string[]> = new Map([
  ["max_batch", ["max_batch_size"]],
  ["batch_size", ["max_batch_size"]],
  ["maximum_batch_size", ["max_batch_size"]],
  ["warmup", ["model_warmup"]],
  ["type", ["data_type", "kind"]],
  ["datatype", ["data_type"]],
  ["dtype", ["data_type"]],
  ["shape", ["dims"]],
  ["dimensions", ["dims"]],
  ["inputs", ["input", "input_map"]],
  ["outputs", ["output", "output_map"]],
  ["input", ["input_map", "input"]],
  ["output", ["output_map", "output"]],
  ["batching", ["dynamic_batching"]],
  ["dynamic_batcher", ["dynamic_batching"]],
  ["sequence_batcher", ["sequence_batching"]],
  ["ensemble", ["ensemble_scheduling"]],
  ["steps", ["step", "ensemble_scheduling"]],
  ["instance_groups", ["instance_group"]],
  ["instances", ["count", "instance_group"]],
  ["instance_count", ["count"]],
  ["model_name", ["name"]],
  ["model", ["model_name", "name"]],
  ["version", ["model_version", "version_policy"]],
  ["filename", ["default_model_filename"]],
  ["model_filename", ["default_model_filename"]],
  ["device", ["kind"]],
  ["devices", ["gpus"]],
  ["gpu", ["gpus"]],
  ["is_optional", ["optional"]],
  ["ragged", ["allow_ragged_batch"]],
  ["preferred_batch_sizes", ["preferred_batch_size"]],
]);

/** A field of another message; for map entries, a field of their values. */
const belongs = (field: string, map: string | undefined): string | undefined => {
  const places = fieldPlaces(field);
  if (places.length === 0) return undefined;
  const inValue = places.find((place) => map !== undefined && place.endsWith(`${map}.value`));
  if (inValue !== undefined) return `write \`value { ${field}: … }\``;
  return places.includes("")
    ? `\`${field}\` belongs at the top of the configuration; is a \`}\` missing before it?`
    : `\`${field}\` belongs in ${list(nearest(places))}`;
};

const placeOf = (field: string): string => {
  const places = fieldPlaces(field);
  return places.includes("") ? " at the top of the configuration" : ` in ${list(nearest(places))}`;
};

/** The least deeply nested places, at most three. */
const nearest = (places: readonly string[]): readonly string[] => {
  const depth = (place: string): number => place.split(".").length;
  return places.filter((place) => depth(place) === depth(places[0] ?? "")).slice(0, 3);
};

const list = (places: readonly string[]): string => {
  const quoted = places.map((place) => `\`${place}\``);
  const last = quoted.pop() ?? "";
  return quoted.length === 0 ? last : `${quoted.join(", ")} or ${last}`;
};
