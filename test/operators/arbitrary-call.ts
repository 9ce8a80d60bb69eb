import {
  type DType,
  type Dim,
  dtypes as dtypeFacts,
  elementCount,
  type Scalar,
  type TensorData,
  type TensorType,
  tensorOf,
} from "@tritype/core";
import { type Attributes, operators } from "@tritype/operators";
import * as fc from "fast-check";
import { type OperatorCall, runnable } from "./run-operator.ts";

/** A call with the sizes it will meet when it runs, and the values. */
export interface ConcreteCall extends OperatorCall {
  readonly feeds: readonly TensorData[];
}

interface Operand {
  readonly dims: readonly number[];
  /** Dtypes it may have; undefined: that of the operator's subject. */
  readonly dtypes?: readonly DType[];
  /** Values are indices below this. */
  readonly below?: number;
}
interface Layout {
  readonly operands: readonly Operand[];
  readonly attributes: Attributes;
}

const size = fc.integer({ min: 1, max: 4 });
const sizeOrNone = fc.integer({ min: 0, max: 3 });
const dimsOf = (minRank: number, maxRank: number, of = size): fc.Arbitrary<number[]> =>
  fc.array(of, { minLength: minRank, maxLength: maxRank });
/** An axis counted from the front or the end. */
const axisOf = (rank: number): fc.Arbitrary<number> => fc.integer({ min: -rank, max: rank - 1 });
const front = (axis: number, rank: number): number => (axis < 0 ? axis + rank : axis);
const without = (dims: readonly number[], axis: number, ...instead: number[]): number[] =>
  dims.toSpliced(front(axis, dims.length), 1, ...instead);
const one = (dims: readonly number[], attributes: Attributes = {}): Layout => ({
  operands: [{ dims }],
  attributes,
});

/** Dims that broadcast to `dims`. */
const narrowed = (dims: readonly number[]): fc.Arbitrary<number[]> =>
  fc
    .tuple(fc.integer({ min: 0, max: dims.length }), fc.array(fc.boolean(), { minLength: 4, maxLength: 4 }))
    .map(([cut, ones]) => dims.slice(cut).map((dim, i) => (ones[i] === true ? 1 : dim)));

const anyUnary = dimsOf(0, 4, sizeOrNone).map((dims) => one(dims));
const anyBinary = dimsOf(0, 4, sizeOrNone).chain((dims) =>
  fc
    .tuple(narrowed(dims), narrowed(dims))
    .map(([a, b]) => ({ operands: [{ dims: a }, { dims: b }], attributes: {} })),
);
/** Any axis but this one may be empty. */
const withAxis = (
  more: (size: number) => fc.Arbitrary<Attributes>,
  along: fc.Arbitrary<number> = size,
  across: fc.Arbitrary<number> = fc.oneof(size, size, sizeOrNone),
): fc.Arbitrary<Layout> =>
  fc.tuple(dimsOf(1, 4, across), along).chain(([others, length]) =>
    axisOf(others.length).chain((axis) => {
      const dims = without(others, axis, length);
      return more(length).map((attributes) => one(dims, { axis, ...attributes }));
    }),
  );
const kept = fc.boolean().map((keepDims) => ({ keepDims }));
const reduction = withAxis(() => kept);
const reductionOfFull = withAxis(() => kept, size, size);
const reductionOfNone = withAxis(() => kept, sizeOrNone);

const matmul = fc.tuple(dimsOf(0, 2), size, size, size).chain(([outer, rows, inner, columns]) =>
  fc.tuple(narrowed(outer), narrowed(outer), fc.boolean(), fc.boolean()).map(([a, b, vectorA, vectorB]) => ({
    operands: [
      { dims: vectorA ? [inner] : [...a, rows, inner] },
      { dims: vectorB ? [inner] : [...b, inner, columns] },
    ],
    attributes: {},
  })),
);
const unsqueeze = dimsOf(0, 3).chain((dims) =>
  fc.integer({ min: -dims.length - 1, max: dims.length }).map((axis) => one(dims, { axis })),
);
const squeeze = dimsOf(0, 3).chain((dims) =>
  fc.nat({ max: dims.length }).map((axis) => one(dims.toSpliced(axis, 0, 1), { axis })),
);
const transpose = dimsOf(0, 4).chain((dims) =>
  fc.shuffledSubarray([...dims.keys()], { minLength: dims.length }).map((axes) => one(dims, { axes })),
);
/** Splits and merges by moving factors; sometimes one size is left to be worked out. */
const reshape = dimsOf(1, 4).chain((dims) =>
  fc
    .tuple(fc.constantFrom(...regroupings(dims)), fc.option(fc.nat({ max: 4 })))
    .map(([to, free]) => one(dims, { dims: to.map((dim, i) => (i === free ? -1 : dim)) })),
);
const regroupings = (dims: readonly number[]): number[][] => [
  [elementCount(dims)],
  [...dims],
  [1, ...dims],
  [...dims, 1],
  [...dims].toReversed(),
  [...dims.slice(0, 1), elementCount(dims.slice(1))],
  [elementCount(dims.slice(0, -1)), ...dims.slice(-1)],
];
const expand = dimsOf(0, 4).chain((dims) => narrowed(dims).map((from) => one(from, { dims })));
const slice = withAxis(() => {
  const position = fc.integer({ min: -6, max: 6 });
  return fc
    .tuple(position, fc.option(position))
    .map(([start, end]) => (end === null ? { start } : { start, end }));
});
const gather = fc.tuple(dimsOf(1, 3), fc.option(dimsOf(0, 2))).chain(([dims, indices]) =>
  axisOf(dims.length).chain((axis) => {
    const below = dims[front(axis, dims.length)] ?? 1;
    const attributes = { axis };
    return indices === null
      ? fc.integer({ min: -below, max: below - 1 }).map((index) => one(dims, { axis, index }))
      : fc.constant({
          operands: [{ dims }, { dims: indices, dtypes: ["INT64", "INT32"] as const, below }],
          attributes,
        });
  }),
);
const parts = (length: number): fc.Arbitrary<number | number[]> => {
  const counts = [1, 2, 3, 4].filter((count) => length % count === 0);
  const sizes = fc.nat({ max: length - 1 }).map((cut) => (cut === 0 ? [length] : [cut, length - cut]));
  return fc.oneof(fc.constantFrom(...counts), sizes);
};
const padding = (length: number): fc.Arbitrary<Attributes> =>
  fc
    .tuple(fc.constantFrom("constant", "edge", "reflect"), fc.nat({ max: 5 }), fc.nat({ max: 5 }))
    .map(([mode, front, back]) => {
      const most = mode === "reflect" ? length - 1 : 5;
      const counts = { before: Math.min(front, most), after: Math.min(back, most) };
      return { ...counts, mode };
    });
const oneHot = dimsOf(0, 3, sizeOrNone).chain((dims) =>
  fc
    .tuple(
      fc.integer({ min: -dims.length - 1, max: dims.length }),
      size,
      fc.constantFrom(...runnable.filter((dtype) => dtype !== "BYTES")),
    )
    .map(([axis, depth, to]) => ({
      operands: [{ dims, dtypes: ["INT64", "INT32"] as const, below: depth + 1 }],
      attributes: { axis, depth, to },
    })),
);
const layerNorm = withAxis(() =>
  fc.tuple(fc.boolean(), fc.boolean()).map(([scale, bias]) => ({ scale, bias, epsilon: 1e-5 })),
).map(({ operands, attributes }) => {
  const { dims } = operands[0] as Operand;
  const axis = front(Number(attributes["axis"]), dims.length);
  const full = dims.map((dim, i) => (i < axis ? dim : Math.max(1, dim)));
  const weights = [attributes["scale"], attributes["bias"]].filter((given) => given === true);
  return { operands: [{ dims: full }, ...weights.map(() => ({ dims: full.slice(axis) }))], attributes };
});
const labelEncode = fc
  .tuple(dimsOf(0, 3, sizeOrNone), fc.constantFrom(...runnable))
  .map(([dims, to]) => ({ operands: [{ dims }], attributes: { ...labelsOf(to), keys: [0, 3, 1, 6], to } }));
const labelsOf = (to: DType): Attributes => {
  const { family } = dtypeFacts[to];
  if (family === "bytes") return { values: ["a", "", "ü", "d"], otherwise: "?" };
  if (family === "bool") return { values: [true, false, true, true], otherwise: false };
  return { values: family === "float" ? [0.5, "NaN", 7, "Infinity"] : [5, 0, 7, 9], otherwise: 2 };
};

const labels = ["a", "B", "c", "d"];
/** Terms over four labels, some with broadcast sizes, repeated labels, spaces or an ellipsis, some without `->`. */
const einsum = fc
  .tuple(
    fc.array(size, { minLength: 4, maxLength: 4 }),
    fc.array(fc.array(fc.constantFrom(...labels), { maxLength: 3 }), { minLength: 1, maxLength: 3 }),
    dimsOf(0, 2),
    fc.shuffledSubarray(labels),
    fc.constantFrom("named", "named", "implicit", "ellipsis"),
    fc.array(fc.constantFrom(false, false, true), { minLength: 4, maxLength: 4 }),
  )
  .map(([sizes, terms, outer, wanted, form, ones]) => {
    const ellipsis = form === "ellipsis" ? "..." : "";
    const operands = terms.map((term, i) => ({
      dims: [
        ...(ellipsis === "" ? [] : outer.slice(i % (outer.length + 1))),
        ...term.map((label) => (ones[i] === true ? 1 : (sizes[labels.indexOf(label)] ?? 1))),
      ],
    }));
    const left = terms.map((term) => ellipsis + term.join("")).join(form === "named" ? "," : " , ");
    const result = ellipsis + wanted.filter((label) => terms.flat().includes(label)).join("");
    return { operands, attributes: { equation: form === "implicit" ? left : `${left}->${result}` } };
  });
const ensureDims = fc
  .tuple(dimsOf(0, 4), fc.array(fc.boolean(), { minLength: 4, maxLength: 4 }))
  .map(([dims, stated]) => one(dims, { dims: dims.map((dim, i) => (stated[i] === true ? dim : -1)) }));
const where = dimsOf(0, 3).chain((dims) =>
  fc.tuple(narrowed(dims), narrowed(dims), narrowed(dims)).map(([condition, a, b]) => ({
    operands: [{ dims: condition, dtypes: ["BOOL"] as const }, { dims: a }, { dims: b }],
    attributes: {},
  })),
);
const concat = dimsOf(1, 3).chain((dims) =>
  fc.tuple(axisOf(dims.length), fc.array(size, { minLength: 1, maxLength: 3 })).map(([axis, sizes]) => ({
    operands: sizes.map((length) => ({ dims: without(dims, axis, length) })),
    attributes: { axis },
  })),
);
const lookup = dimsOf(0, 3).map((dims) => ({
  operands: [{ dims, dtypes: ["INT64", "INT32"] as const, below: 3 }],
  attributes: { labels: ["negative", "", "größer"] },
}));
const constant = dimsOf(0, 3).map((dims) => ({
  operands: [],
  attributes: { dtype: "FP32", dims, values: Array.from({ length: elementCount(dims) }, (_, i) => i / 2) },
}));

const family = (names: string, layout: fc.Arbitrary<Layout>): readonly [string, fc.Arbitrary<Layout>][] =>
  names.split(" ").map((name) => [name, layout]);
/** For every operator, layouts that it accepts. */
const layouts: ReadonlyMap<string, fc.Arbitrary<Layout>> = new Map([
  ...family("add sub mul div mod pow minimum maximum eq ne gt ge lt le and or xor", anyBinary),
  ...family("not neg abs sign round floor ceil sqrt exp log erf tanh sigmoid relu identity", anyUnary),
  ...family("mean max min", reduction),
  ...family("argmax argmin", reductionOfFull),
  ...family("sum prod logSumExp", reductionOfNone),
  ...Object.entries({ matmul, unsqueeze, squeeze, transpose, reshape, expand, slice, gather }),
  ...Object.entries({ ensureDims, where, concat, lookup, constant, oneHot, labelEncode, layerNorm, einsum }),
  ["gelu", anyUnary.map((layout) => ({ ...layout, attributes: { approximation: "none" } }))],
  ["split", withAxis((along) => parts(along).map((some) => ({ parts: some })))],
  ["pad", withAxis(padding)],
  ["tile", withAxis(() => size.map((times) => ({ times })), sizeOrNone)],
  ["clip", anyUnary.map((layout) => ({ ...layout, attributes: { min: 1, max: "Infinity" } }))],
  ["softmax", withAxis(() => fc.constant({}))],
  ["topK", withAxis((along) => fc.integer({ min: 1, max: along }).map((k) => ({ k })), size, size)],
  [
    "cast",
    anyUnary.chain((layout) => fc.constantFrom(...runnable).map((to) => ({ ...layout, attributes: { to } }))),
  ],
]);

/** Calls that run: those of `dtypes` that `infer` accepts for the subject, concrete sizes, small values; among floats the `odd` ones. */
export const arbitraryCall = (
  operator: string,
  dtypes: readonly DType[] = runnable,
  odd: readonly number[] = [],
): fc.Arbitrary<ConcreteCall> => {
  const layout = layouts.get(operator);
  if (layout === undefined) throw new Error(`no layouts for ${operator}`);
  return layout.chain(({ operands, attributes }) =>
    fc.constantFrom(...subjectDTypes(operator, operands, attributes, dtypes)).chain((subject) =>
      fc
        .tuple(...operands.map((operand) => feedOf(operand, subject, divides.includes(operator), odd)))
        .map((feeds) => ({
          operator,
          operands: feeds.map(({ dtype, shape }): TensorType => ({ dtype, dims: shape })),
          attributes,
          feeds,
        })),
    ),
  );
};

const divides: readonly string[] = ["div", "mod"];

const subjectDTypes = (
  name: string,
  operands: readonly Operand[],
  attributes: Attributes,
  among: readonly DType[],
): readonly DType[] => {
  const accepted = among.filter((dtype) => {
    const types = operands.map((x) => ({ dtype: x.dtypes?.[0] ?? dtype, dims: x.dims }));
    return operators.get(name)?.infer(types, attributes).outputs !== undefined;
  });
  if (accepted.length === 0)
    throw new Error(`${name} accepts no dtype: ${JSON.stringify([operands, attributes])}`);
  return accepted;
};

const feedOf = (
  operand: Operand,
  subject: DType,
  isDivisor: boolean,
  odd: readonly number[],
): fc.Arbitrary<TensorData> =>
  fc.constantFrom(...(operand.dtypes ?? [subject])).chain((dtype) => {
    const count = elementCount(operand.dims);
    const small =
      operand.below === undefined
        ? fc.integer({ min: -8, max: 8 })
        : fc.integer({ min: 0, max: operand.below - 1 });
    const element = small.map((value) => elementOf(dtype, isDivisor ? value || 1 : value));
    const isFloat = dtypeFacts[dtype].family === "float";
    const any = odd.length > 0 && isFloat ? fc.oneof(element, fc.constantFrom<Scalar>(...odd)) : element;
    return fc
      .array(any, { minLength: count, maxLength: count })
      .map((elements) => tensorOf(dtype, operand.dims, elements));
  });

const elementOf = (dtype: DType, value: number): Scalar => {
  const { family, range } = dtypeFacts[dtype];
  if (family === "bytes") return String(Math.abs(value));
  if (family === "bool") return value > 0;
  if (family === "float") return value / 4;
  return range?.[0] === 0n ? Math.abs(value) : value;
};

/** The same call with some sizes behind names or unknown; equal sizes share a name, in attributes too. */
export const hidden = (call: ConcreteCall): fc.Arbitrary<OperatorCall> =>
  fc
    .tuple(
      fc.array(fc.constantFrom("literal", "literal", "name", "unknown"), { minLength: 16, maxLength: 16 }),
      fc.boolean(),
    )
    .map(([choices, namesInAttributes]) => {
      const operands = call.operands.map(({ dtype, dims }, i) => ({
        dtype,
        dims: dims.map((dim, j): Dim => {
          const choice = choices[(i * 4 + j) % choices.length];
          return choice === "name" ? nameOf(Number(dim)) : choice === "unknown" ? -1 : dim;
        }),
      }));
      const names = operands.flatMap((x) => x.dims);
      const { dims } = call.attributes;
      if (!namesInAttributes || !Array.isArray(dims)) return { ...call, operands };
      const written = dims.map((dim: Dim) =>
        names.includes(nameOf(Number(dim))) ? nameOf(Number(dim)) : dim,
      );
      return { ...call, operands, attributes: { ...call.attributes, dims: written } };
    });
const nameOf = (size: number): string => `n${size}`;
/** The size a dim stands for in a hidden call; undefined for -1. */
export const sizeOfDim = (dim: Dim): number | undefined =>
  typeof dim === "string" ? Number(dim.slice(1)) : dim === -1 ? undefined : dim;
