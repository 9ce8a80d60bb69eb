import { dtypeOfConfigName, dtypes } from "@tritype/core";
import type { ModelWarmupInput } from "@tritype/triton";
import { entryAt } from "../model/onnx-file.ts";
import { dataFile } from "../model/data-file.ts";
import type { WarmupInputPlace, WarmupProblem } from "./warmup-problem.ts";

/** The strings in files larger than this many bytes are not counted. */
const largestStringFile = 64 * 2 ** 20;

export const dtypeName = (type: string | number | undefined): string =>
  dtypeOfConfigName(String(type)) ?? String(type ?? "without a data_type");

export const elementCount = (dims: readonly number[]): number => dims.reduce((all, dim) => all * dim, 1);

/** Size of one element in bytes; 4 for strings and for dtypes that Triton does not know. */
export const elementSize = (type: string | number | undefined): number => {
  const dtype = dtypeOfConfigName(String(type));
  return (dtype && dtypes[dtype].byteSize) ?? 4;
};

/** `ids`, `token.id`, `tokenIds`, but not `grid`. */
const namesIds = /(?:^|[^A-Za-z])[Ii][Dd][Ss]?$|[a-z]I[Dd]s?$/;

/** Problems with the source of an input's data. Source: core `backend_model_instance.cc`, GenerateWarmupData. */
export const dataProblems = (
  at: WarmupInputPlace,
  { data_type, dims = [], zero_data, random_data, input_data_file: file }: ModelWarmupInput,
): readonly WarmupProblem[] => {
  const open = dims.some((dim) => dim < 0);
  const openDims = open ? [{ kind: "open-dims", at, dims } as const] : [];
  const text = data_type === "TYPE_STRING";
  if (zero_data !== undefined || random_data !== undefined) {
    const field = zero_data === undefined ? "random_data" : "zero_data";
    if (text) return [...openDims, { kind: "empty-strings", at, field }];
    const ids = namesIds.test(at.input) && (data_type === "TYPE_INT64" || data_type === "TYPE_INT32");
    const random = random_data !== undefined && ids;
    return [
      ...openDims,
      ...(random ? [{ kind: "random-ids", at, dtype: dtypeName(data_type) } as const] : []),
    ];
  }
  if (file === undefined) return [...openDims, { kind: "no-data", at }];
  const wanted = open ? 0 : elementCount(dims) * (text ? 1 : elementSize(data_type));
  const path = dataFile("warmup", file);
  if (path === undefined) return openDims;
  const bytes = at.model.read(path, text && !open ? largestStringFile : wanted + 1);
  if (bytes === undefined) {
    const missing = at.model.options.configsOnly !== true && entryAt(at.model, path)?.kind !== "file";
    return [...openDims, ...(missing ? [{ kind: "missing-file", at, file: path } as const] : [])];
  }
  // The required file size is only known if the dims are.
  if (open) return openDims;
  if (text) {
    const readsStrings = at.model.config.backend === "python";
    const why = bytes.length === largestStringFile ? undefined : stringProblem(bytes, wanted, readsStrings);
    return why === undefined ? [] : [{ kind: "string-file", at, file: path, wanted, why }];
  }
  const measured = { at, file: path, wanted, tensor: `${dtypeName(data_type)}[${dims.join(", ")}]` };
  if (bytes.length < wanted) return [{ kind: "short-file", found: bytes.length, ...measured }];
  return bytes.length > wanted ? [{ kind: "long-file", ...measured }] : [];
};

/**
 * Strings are stored one after another, each preceded by its length in bytes as a 4-byte little-endian integer. The core only
 * counts them; the Python backend also refuses a truncated last string.
 */
const stringProblem = (bytes: Uint8Array, wanted: number, read: boolean): string | undefined => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let found = 0;
  let at = 0;
  let length = 0;
  for (; at < bytes.length; found++) {
    if (at + 4 > bytes.length) return `ends inside the length of string ${found}`;
    if (found === wanted) return `has more than ${wanted}`;
    length = view.getUint32(at, true);
    at += 4 + length;
  }
  const missing = at - bytes.length;
  if (missing > 0 && (read || found !== wanted))
    return `string ${found - 1} should have ${length} bytes, but only ${length - missing} follow`;
  return found === wanted ? undefined : `has ${found}`;
};
