import { type DType, dtypes, elementCount, type NamedTensors, type Scalar, tensorOf } from "@tritype/core";
import type { FunctionTensor, FunctionTwinOptions } from "@tritype/manifest";
import fc from "fast-check";
import { arbitraryInteger, arbitraryNumber, arbitraryText } from "./arbitrary-scalars.ts";
import { arbitraryJson, type JsonMaterial } from "./arbitrary-json.ts";
import type { Literals } from "./literals.ts";

/** The sources of requests, in addition to the types. */
export interface Material {
  /** Values that the function itself compares with. */
  readonly literals: Literals;
  /** The known properties of the JSON inputs, by name. */
  readonly json: ReadonlyMap<string, JsonMaterial>;
}

type Element = Scalar | Uint8Array;
type Sizes = ReadonlyMap<string, number>;

/** Requests to a function step that match its declaration, smallest first. */
export const arbitraryRequest = (
  { inputs }: FunctionTwinOptions,
  material: Material,
): fc.Arbitrary<NamedTensors> => {
  const entries = Object.entries(inputs);
  const names = [
    ...new Set(entries.flatMap(([, { dims }]) => dims.filter((dim) => typeof dim === "string"))),
  ];
  return fc
    .tuple(...names.map((name) => fc.integer({ min: 1, max: name === "batch" ? 4 : 9 })))
    .chain((sizes) => {
      const known = new Map(names.map((name, index) => [name, sizes[index] ?? 1]));
      const tensors = entries.map(([name, type]) => arbitraryTensor(name, type, known, material));
      return fc.tuple(...tensors).map((made) => new Map(made.flatMap((one) => one ?? [])));
    });
};

const arbitraryTensor = (
  name: string,
  type: FunctionTensor,
  sizes: Sizes,
  material: Material,
): fc.Arbitrary<readonly (readonly [string, ReturnType<typeof tensorOf>])[] | null> => {
  const dtype = type.dtype as DType;
  const made = fc
    .tuple(
      ...type.dims.map((dim) =>
        dim === -1
          ? fc.integer({ min: 1, max: 5 })
          : fc.constant(typeof dim === "string" ? (sizes.get(dim) ?? 1) : dim),
      ),
    )
    .chain((shape) => {
      const count = elementCount(shape);
      // Triton does not support tensors with only the batch dim.
      const wire = shape.length === 1 && type.dims[0] === "batch" ? [...shape, 1] : shape;
      return fc
        .array(arbitraryElement(name, type, material), { minLength: count, maxLength: count })
        .map((values) => [[name, tensorOf(dtype, wire, values)] as const]);
    });
  return type.optional === true ? fc.option(made) : made;
};

const arbitraryElement = (
  name: string,
  { dtype, json }: FunctionTensor,
  { literals, json: known }: Material,
): fc.Arbitrary<Element> => {
  if (json === true) return arbitraryJson(known.get(name) ?? { shape: undefined, seen: [] }, literals);
  if (dtype === "BYTES") return fc.oneof({ weight: 30, arbitrary: arbitraryText(literals) }, notUtf8);
  if (dtype === "BOOL") return fc.boolean();
  const { range } = dtypes[dtype as DType];
  return range === undefined ? arbitraryNumber(literals, dtype) : arbitraryInteger(literals, dtype, range);
};

const notUtf8: fc.Arbitrary<Uint8Array> = fc.constantFrom(
  Uint8Array.of(0xff),
  Uint8Array.of(0x61, 0xed, 0xa0, 0x80),
  Uint8Array.of(0xe4, 0xb8),
);
