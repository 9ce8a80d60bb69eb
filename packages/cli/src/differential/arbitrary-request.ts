import { type DType, dtypes, elementCount, type NamedTensors, type Scalar, tensorOf } from "@tritype/core";
import type { FunctionTensor, FunctionTwinOptions } from "@tritype/manifest";
import fc from "fast-check";
import type { Literals } from "./literals.ts";

/** What requests are made of, beside the types. */
export interface Material {
  /** What the function itself compares with. */
  readonly literals: Literals;
  /** JSON texts that reached an input, by its name. */
  readonly json: ReadonlyMap<string, readonly string[]>;
}

type Element = Scalar | Uint8Array;
type Sizes = ReadonlyMap<string, number>;

/** Requests to a function step that fit its declaration, those with the least first. */
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
      // Triton has no tensors of the batch alone.
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
  { literals, json: texts }: Material,
): fc.Arbitrary<Element> => {
  if (json === true) return arbitraryJson(texts.get(name) ?? [], literals);
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

/** Texts that languages disagree on. */
const odd: readonly string[] = [
  "",
  ..." |\u00a0|\u0085|\u200b|\ufeff|\u2028|\r\n|\t|\u001c|\0".split("|"),
  ..."İ ı ß ſ ﬁ Σ ΑΣ ς ǅ é e\u0301 \u212b 각 \u212a 😀 👩‍👩‍👧 🇩🇪 𝒳 \ud7ff \uffff 中文 שלום ١٢ ½ Ⅷ".split(" "),
  ..."0 -0 1e21 0x1f 1_000 Infinity NaN ٣ .5 5. +1 constructor __proto__ null undefined true".split(" "),
  ..."\" \\ ' {} [] $1 \\d %s a,b a-b_c <b>&amp;</b>".split(" "),
];

const arbitraryText = ({ texts }: Literals): fc.Arbitrary<string> => {
  const pieces = fc.oneof(
    ...(texts.length > 0 ? [{ weight: 3, arbitrary: fc.constantFrom(...texts) }] : []),
    { weight: 2, arbitrary: fc.constantFrom(...odd) },
    { weight: 2, arbitrary: fc.string({ maxLength: 6 }) },
    fc.string({ unit: "grapheme", maxLength: 4 }),
    fc.lorem({ maxCount: 3 }),
  );
  return fc.array(pieces, { maxLength: 5 }).map((parts) => parts.join(""));
};

const arbitraryNumber = ({ numbers }: Literals, dtype: string): fc.Arbitrary<number> =>
  fc.oneof(
    { weight: 3, arbitrary: fc.integer({ min: -10, max: 100 }) },
    { weight: 2, arbitrary: fc.double({ min: -2, max: 2, noNaN: true }) },
    { weight: 2, arbitrary: dtype === "FP64" ? fc.double() : fc.float() },
    fc.constantFrom(0, -0, 0.5, 1.5, -0.5, 1e21, 1e-7, Infinity, -Infinity, Number.NaN),
    ...(numbers.length > 0 ? [fc.constantFrom(...numbers)] : []),
  );

const arbitraryInteger = (
  { numbers }: Literals,
  dtype: string,
  [low, high]: readonly [bigint, bigint],
): fc.Arbitrary<number | bigint> => {
  const within = (value: bigint): bigint => (value < low ? low : value > high ? high : value);
  const near = numbers
    .filter(Number.isInteger)
    .flatMap((value) => [-1n, 0n, 1n].map((by) => BigInt(value) + by));
  const made = fc.oneof(
    { weight: 4, arbitrary: fc.bigInt({ min: -3n, max: 20n }) },
    { weight: 1, arbitrary: fc.bigInt({ min: low, max: high }) },
    fc.constantFrom(low, high),
    ...(near.length > 0 ? [{ weight: 2, arbitrary: fc.constantFrom(...near) }] : []),
  );
  return made.map((value) => (dtype.endsWith("64") ? within(value) : Number(within(value))));
};

/** JSON like what reached the input, with other values in it; without any, any JSON. */
const arbitraryJson = (seen: readonly string[], literals: Literals): fc.Arbitrary<string> => {
  const samples = seen.flatMap((text): unknown[] => {
    try {
      return [JSON.parse(text) as unknown];
    } catch {
      return [];
    }
  });
  const alike = fc.oneof(
    ...samples.map((sample) => arbitraryLike(sample, literals).map((value) => JSON.stringify(value))),
  );
  return samples.length === 0
    ? fc.oneof(fc.json(), fc.constant("{"))
    : fc.oneof({ weight: 12, arbitrary: alike }, fc.constantFrom(...seen), fc.json());
};

const arbitraryLike = (sample: unknown, literals: Literals): fc.Arbitrary<unknown> => {
  if (typeof sample === "string") return arbitraryText(literals);
  if (typeof sample === "number")
    return Number.isInteger(sample)
      ? fc.oneof(fc.integer({ min: -3, max: 50 }), fc.integer())
      : arbitraryNumber(literals, "FP64").filter(Number.isFinite);
  if (typeof sample === "boolean") return fc.boolean();
  if (Array.isArray(sample)) {
    const elements = sample.slice(0, 8).map((element) => arbitraryLike(element, literals));
    return elements.length === 0 ? fc.constant([]) : fc.array(fc.oneof(...elements), { maxLength: 6 });
  }
  if (typeof sample === "object" && sample !== null)
    return fc.record(
      Object.fromEntries(Object.entries(sample).map(([key, value]) => [key, arbitraryLike(value, literals)])),
    );
  return fc.constant(sample);
};
