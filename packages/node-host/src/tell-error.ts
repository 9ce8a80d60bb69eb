import { sep } from "node:path";
import { fileURLToPath } from "node:url";
import { inspect, types } from "node:util";
import { deniedBy } from "./denied.ts";

/**
 * An error's message, the first errors that it has collected (`Promise.any`), and the author's line: the first frame of
 * its stack, or of those of its causes, that is neither the host's nor a package's. Node has mapped the stacks to the
 * author's files.
 * @param folder The version folder.
 * @param place The place of a thrown value that has none because it is not an error.
 */
export const tellError = (error: unknown, folder: string, place = ""): string => {
  if (!isError(error)) return `${describeThrown(error)} was thrown${place}`;
  // A function may have changed these properties.
  const { name, message } = error as { readonly [Part in keyof Error]: unknown };
  const denied = deniedBy(error);
  const says = denied ? `the function ${denied.says}; ${denied.advice}` : String(message);
  const text = says === "" ? String(name) : `${String(name)}: ${says}`;
  const collected = error instanceof AggregateError ? error.errors.slice(0, 3).map(describeThrown) : [];
  return [text, ...collected].join("; ") + placeIn(error, folder);
};

/** The author's line in an error's stack, or else in those of the errors that it has collected, and of its causes. */
const placeIn = (error: unknown, folder: string, depth = 0): string => {
  if (!isError(error) || depth > deepestCause) return "";
  const { stack, cause } = error as { readonly [Part in keyof Error]: unknown };
  let place = placeOf(typeof stack === "string" ? stack : "", folder);
  for (const one of [...(error instanceof AggregateError ? error.errors : []), cause])
    place ||= placeIn(one, folder, depth + 1);
  return place;
};

/** Causes may form a cycle. */
const deepestCause = 8;

/** Errors of a context of `node:vm` have another `Error`. */
const isError = (value: unknown): value is Error => value instanceof Error || types.isNativeError(value);

/** A thrown value in one line. */
export const describeThrown = (value: unknown): string => {
  if (isError(value)) return String(value);
  if (typeof value === "string") return JSON.stringify(value);
  return inspect(value, { breakLength: Infinity, customInspect: false });
};

const placeOf = (stack: string, folder: string): string => {
  const frames = stack.slice(Math.max(0, stack.search(/\n {4}at /)));
  let bundled = "";
  for (const [, url = "", line = "", column = ""] of frames.matchAll(frame)) {
    if (url.endsWith(generated)) continue;
    const path = pathOf(url);
    if (!path.startsWith(folder + sep)) continue;
    const file = path.slice(folder.length + 1);
    if (/^(?:host|inputs)\.mjs$|node_modules\//.test(file)) continue;
    const place = ` (${file}:${line}:${column})`;
    if (file !== "run.mjs") return place;
    // Code that esbuild has added, or an author without a source map.
    bundled ||= place;
  }
  return bundled;
};

/** `    at name (place:line:column)` or `    at place:line:column`. */
const frame = /^ {4}at (?:.*\()?((?:file:\/\/)?\/.*?):(\d+):(\d+)\)?$/gm;

/** Code that a package created from a string, with the position at which it did so. */
const generated = "), <anonymous>";

const pathOf = (url: string): string => {
  try {
    return url.startsWith("file:") ? fileURLToPath(url) : url;
  } catch {
    return url;
  }
};
