import { type DType, packByteStrings } from "@tritype/core";
import { tryDecodeText, tryEncodeText, unpackByteStrings } from "./byte-strings.ts";
import { ClientError } from "./client-error.ts";
import { type Contract, isOpen, type Signature, showType, type TensorType, wireType } from "./contract.ts";
import { unreadable } from "./decode-outputs.ts";
import { elementCount, elementKinds, packElements } from "./elements.ts";
import type { WireRequest, WireTensor } from "./transport.ts";

/**
 * A request in the flat JSON format of Triton's generate extension, whose answers are also flat: the server computes
 * shapes from the dims and the number of elements.
 * @throws ClientError `invalid` for tensors whose shape or elements would be lost, and for sequences.
 */
export const printFlatRequest = (
  { id, parameters, inputs, outputs, raw }: WireRequest,
  contract: Contract,
): string => {
  const rows = Math.max(
    1,
    ...inputs.flatMap(({ name, shape }) => (isBatched(contract.inputs[name]) ? [shape[0] ?? 1] : [])),
  );
  for (const name of raw) throw refuse("output", name, noBytes);
  for (const name of outputs) requireFlatOutput(name, typeOf(contract.outputs, name), rows);
  if (parameters["sequence_id"] !== undefined)
    throw new ClientError("invalid", "an HTTP stream has no sequences; use a gRPC client");
  const members = [
    ...(id === undefined ? [] : [["id", JSON.stringify(id)]]),
    ...inputs.map((tensor) => [tensor.name, printElements(tensor, contract)]),
    ...(Object.keys(parameters).length === 0 ? [] : [["parameters", printParameters(parameters)]]),
  ];
  return `{${members.map(([name, text]) => `${JSON.stringify(name)}:${text}`).join(",")}}`;
};

/** The wanted outputs of one answer. @throws ClientError `malformed`. */
export const readFlatAnswer = (
  members: Readonly<Record<string, unknown>>,
  outputs: readonly string[],
  contract: Contract,
): readonly WireTensor[] =>
  outputs.flatMap((name) => {
    const type = typeOf(contract.outputs, name);
    const value = Object.hasOwn(members, name) ? members[name] : undefined;
    if (type === undefined || value === undefined) return [];
    const elements: readonly unknown[] = Array.isArray(value) ? value : [value];
    const misread = (got: string): ClientError => unreadable(name, got, showType(type));
    const shape = shapeOf(type.dims, elements.length);
    if (shape === undefined) throw misread(`${elements.length} elements`);
    return [{ name, dtype: type.dtype, shape, data: packFlat(type.dtype, elements, misread) }];
  });

/**
 * JSON as Triton writes it, in which numbers may be NaN or have 64 bits: these become strings.
 * @throws SyntaxError
 */
export const parseFlatJson = (text: string): unknown =>
  JSON.parse(/\d{16}|NaN|Inf/.test(text) ? withTexts(text) : text);

const withTexts = (text: string): string =>
  text.replaceAll(/"(?:[^"\\]+|\\.)*"|-?(?:\d+(?:\.\d+)?(?:[eE][-+]?\d+)?|Inf(?:inity)?)|NaN/g, (token) =>
    /^-?(?:\d{16,}$|I)|^N/.test(token) ? `"${token}"` : token,
  );

const onlyGrpc = "use a gRPC client, which sends tensors unchanged";

const noBytes = "an HTTP stream is JSON, which has text but no bytes";

const refuse = (side: "input" | "output", name: string, why: string, first = ""): ClientError =>
  new ClientError("invalid", `${side} \`${name}\`: ${why}; ${first}${onlyGrpc}`, { tensor: name });

const refuseShape = (side: "input" | "output", name: string, why: string): ClientError =>
  refuse(side, name, `an HTTP stream has no shapes, so ${why}`, "send single rows, or ");

/** A tensor's type on the wire. */
const typeOf = (signature: Signature, name: string): TensorType | undefined => {
  const type = signature[name];
  return type && wireType(type);
};

const isBatched = (type: TensorType | undefined): boolean => type?.dims[0] === "batch";

const requireFlatOutput = (name: string, type: TensorType | undefined, rows: number): void => {
  if (type === undefined) return;
  const open = type.dims.filter(isOpen).length - (isBatched(type) && rows === 1 ? 1 : 0);
  if (open > 1) throw refuseShape("output", name, `${showType(type)} of ${rows} rows is ambiguous`);
  requireJson("output", name, type.dtype);
};

const requireJson = (side: "input" | "output", name: string, dtype: string): void => {
  if (dtype === "FP16" || dtype === "BF16")
    throw refuse(side, name, `an HTTP stream is JSON, which has no ${dtype}`);
};

const printElements = ({ name, dtype, shape, data }: WireTensor, contract: Contract): string => {
  const dims = typeOf(contract.inputs, name)?.dims ?? [];
  const last = dims.findLastIndex(isOpen);
  if (dims.some((dim, axis) => isOpen(dim) && axis !== last && shape[axis] !== 1))
    throw refuseShape("input", name, `only the last open dim may differ from 1, got [${shape.join(", ")}]`);
  requireJson("input", name, dtype);
  return `[${elementsOf(name, dtype, elementCount(shape), data).join(",")}]`;
};

const elementsOf = (
  name: string,
  dtype: string,
  count: number,
  data: Uint8Array<ArrayBuffer>,
): readonly string[] => {
  if (dtype === "BYTES")
    return (unpackByteStrings(data, count) ?? []).map((bytes) => {
      const text = tryDecodeText(bytes);
      if (text === undefined) throw refuse("input", name, noBytes);
      return JSON.stringify(text);
    });
  const { array, load } = elementKinds[dtype as keyof typeof elementKinds];
  const stored = new array(data.slice().buffer, 0, count);
  return Array.from((load?.(stored) ?? stored) as ArrayLike<unknown>, (x) =>
    Object.is(x, -0) ? "-0.0" : String(x),
  );
};

/** A bigint is printed as a JSON number with all its digits: Triton reads integers up to 2^64 - 1 exactly. */
export const printParameters = (parameters: WireRequest["parameters"]): string =>
  `{${Object.entries(parameters)
    .map(
      ([name, value]) =>
        `${JSON.stringify(name)}:${typeof value === "bigint" ? value : JSON.stringify(value)}`,
    )
    .join(",")}}`;

/**
 * Computed like the shape of an input in Triton: the last open dim takes the elements that the fixed dims leave, and
 * the other open dims are 1.
 */
const shapeOf = (dims: readonly (number | string)[], count: number): readonly number[] | undefined => {
  const fixed = dims.reduce<number>((product, dim) => (isOpen(dim) ? product : product * Number(dim)), 1);
  const last = dims.findLastIndex(isOpen);
  if (fixed === 0 ? count > 0 : count % fixed !== 0 || (last < 0 && count !== fixed)) return undefined;
  return dims.map((dim, axis) => (isOpen(dim) ? (axis === last ? count / fixed || 0 : 1) : Number(dim)));
};

/** @param misread The error for an element, given its description. */
const packFlat = (
  dtype: DType,
  elements: readonly unknown[],
  misread: (got: string) => ClientError,
): Uint8Array<ArrayBuffer> =>
  dtype === "BYTES"
    ? packByteStrings(
        elements.map((element) => {
          const bytes = typeof element === "string" ? tryEncodeText(element) : undefined;
          if (bytes === undefined) throw misread(typeof element);
          return bytes;
        }),
      )
    : packElements(
        dtype,
        elements.map((element) => (typeof element === "string" ? numberOf(dtype, element) : element)),
        (index) => misread(JSON.stringify(elements[index])),
      );

/** A number that `parseFlatJson` kept as a string. */
const numberOf = (dtype: string, text: string): number | bigint | undefined => {
  if (/^-?\d+$/.test(text)) return dtype.endsWith("INT64") ? BigInt(text) : Number(text);
  return /^(?:NaN|-?Inf(?:inity)?)$/.test(text) ? Number(text.replace(/Inf$/, "Infinity")) : undefined;
};
