import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import {
  bool,
  bytes,
  concat,
  constant,
  defineEnsemble,
  einsum,
  fp32,
  int64,
  l2Normalize,
  lookup,
  meanPool,
  type Tensor,
  where,
} from "tritype";

/** An example of an operator on the tensors of `exampleInputs`, and what it means where its docstring does not say. */
export interface OperatorExample {
  readonly call: string;
  /** What it returns: a tensor, several, or several by name. */
  readonly result: unknown;
  readonly means?: string;
}

/** The tensors of the examples, as inputs of an ensemble. */
export const exampleInputs = {
  scores: fp32("batch", 10),
  other: fp32("batch", 10),
  hidden: fp32("batch", "seq", 384),
  weights: fp32("batch", 384, 8),
  mask: int64("batch", "seq"),
  ids: int64("batch", 5),
  one: fp32("batch", 1),
  flags: bool("batch", 10),
  labels: bytes("batch", 10),
} as const;

type Handles = {
  readonly [K in keyof typeof exampleInputs]: Tensor<
    (typeof exampleInputs)[K]["dtype"],
    (typeof exampleInputs)[K]["dims"]
  >;
};

/** Every operator by its name, with one example; the arrow's body is the text that the page shows. */
const examples: Readonly<Record<string, readonly [example: (tensors: Handles) => unknown, means?: string]>> =
  {
    add: [
      ({ scores, other }) => scores.add(other),
      "Sum of two tensors that broadcast, or of a tensor and a number.",
    ],
    sub: [({ scores }) => scores.sub(1), "Difference."],
    mul: [({ scores, one }) => scores.mul(one), "Product, element by element."],
    div: [({ scores, other }) => scores.div(other), "Quotient; integers are cut towards zero."],
    mod: [({ ids }) => ids.mod(7)],
    pow: [({ scores }) => scores.pow(2), "Power, element by element."],
    minimum: [({ scores, other }) => scores.minimum(other), "The smaller of the two, element by element."],
    maximum: [({ scores }) => scores.maximum(0), "The larger of the two, element by element."],
    eq: [({ ids }) => ids.eq(0)],
    ne: [({ ids }) => ids.ne(0)],
    gt: [({ scores }) => scores.gt(0.5), "Greater than."],
    ge: [({ scores }) => scores.ge(0.5), "Greater than or equal."],
    lt: [({ scores, other }) => scores.lt(other), "Less than."],
    le: [({ scores }) => scores.le(0.5), "Less than or equal."],
    and: [({ flags, scores }) => flags.and(scores.gt(0)), "True where both are."],
    or: [({ flags, scores }) => flags.or(scores.gt(0)), "True where either is."],
    xor: [({ flags, scores }) => flags.xor(scores.gt(0)), "True where exactly one is."],
    not: [({ flags }) => flags.not(), "True where the tensor is false."],
    neg: [({ scores }) => scores.neg(), "The same with the other sign."],
    abs: [({ scores }) => scores.abs(), "The same without its sign."],
    sign: [({ scores }) => scores.sign()],
    round: [({ scores }) => scores.round()],
    floor: [({ scores }) => scores.floor(), "The largest whole number that is not larger."],
    ceil: [({ scores }) => scores.ceil(), "The smallest whole number that is not smaller."],
    sqrt: [({ scores }) => scores.sqrt(), "Square root; NaN of a negative number."],
    exp: [({ scores }) => scores.exp(), "e to the power of each element."],
    log: [({ scores }) => scores.log(), "Natural logarithm."],
    erf: [({ scores }) => scores.erf()],
    tanh: [({ scores }) => scores.tanh(), "Hyperbolic tangent."],
    sigmoid: [({ scores }) => scores.sigmoid(), "1 / (1 + exp(-x))."],
    relu: [({ scores }) => scores.relu(), "The same where it is positive, else 0."],
    gelu: [({ hidden }) => hidden.gelu()],
    clip: [({ scores }) => scores.clip(0, 1), "Limited to `min` and `max`."],
    softmax: [
      ({ scores }) => scores.softmax(-1),
      "exp(x) / sum(exp(x)) along the axis; each row adds up to 1.",
    ],
    layerNorm: [({ hidden }) => hidden.layerNorm(-1)],
    cast: [({ ids }) => ids.cast(fp32)],
    sum: [({ hidden }) => hidden.sum("seq"), "Sum along the axis, which goes unless `keepDims` is true."],
    mean: [({ hidden }) => hidden.mean("seq", { keepDims: true }), "Mean along the axis."],
    prod: [({ scores }) => scores.prod(-1)],
    max: [({ scores }) => scores.max(-1), "Largest element along the axis."],
    min: [({ scores }) => scores.min(-1), "Smallest element along the axis."],
    logSumExp: [({ scores }) => scores.logSumExp(-1)],
    argmin: [({ scores }) => scores.argmin(-1)],
    argmax: [({ scores }) => scores.argmax(-1)],
    topK: [
      ({ scores }) => scores.topK(3, -1),
      "The `k` largest along the axis, largest first, with their indices.",
    ],
    matmul: [({ hidden, weights }) => hidden.matmul(weights)],
    unsqueeze: [({ scores }) => scores.unsqueeze(1)],
    squeeze: [({ one }) => one.squeeze(1), "Without an axis of size 1."],
    transpose: [({ hidden }) => hidden.transpose("batch", 2, "seq"), "The axes in another order."],
    reshape: [({ scores }) => scores.reshape("batch", 2, 5)],
    expand: [({ one }) => one.expand("batch", 10), "Repeated along axes of size 1, as broadcasting does."],
    slice: [
      ({ hidden }) => hidden.slice("seq", 1, -1),
      "From `start` up to, not including, `end`; negative ones count from the end.",
    ],
    split: [({ scores }) => scores.split(-1, [4, 6])],
    pad: [({ scores }) => scores.pad(1, 0, 2)],
    tile: [({ scores }) => scores.tile(1, 3)],
    oneHot: [({ ids }) => ids.oneHot(100, 2, fp32)],
    labelEncode: [
      ({ labels }) => labels.labelEncode(int64, { keys: ["no", "yes"], values: [0, 1], otherwise: -1 }),
    ],
    gather: [({ hidden }) => hidden.gather("seq", 0)],
    ensureDims: [({ hidden }) => hidden.ensureDims("batch", 128, 384)],
    where: [({ flags, scores }) => where(flags, scores, 0)],
    concat: [({ scores, other }) => concat([scores, other], 1)],
    constant: [({ scores }) => scores.mul(constant(fp32, [0.5, 2, 1, 1, 1, 1, 1, 1, 1, 1], 10))],
    lookup: [({ ids }) => lookup(ids, ["negative", "neutral", "positive"])],
    einsum: [({ hidden, weights }) => einsum("bsh,bhk->bsk", hidden, weights)],
    meanPool: [({ hidden, mask }) => meanPool(hidden, mask)],
    l2Normalize: [({ hidden }) => l2Normalize(hidden)],
  };

/** The examples, evaluated as a pipeline is, with the text of each; and the ensemble, whose outputs are all results. */
export const operatorExamples = (): {
  readonly examples: ReadonlyMap<string, OperatorExample>;
  readonly ensemble: object;
} => {
  const texts = exampleTexts();
  const found = new Map<string, OperatorExample>();
  const ensemble = defineEnsemble({
    name: "examples",
    maxBatchSize: 8,
    inputs: exampleInputs,
    run(tensors) {
      for (const [name, [example, means]] of Object.entries(examples))
        found.set(name, {
          call: texts.get(name) ?? "",
          result: example(tensors),
          ...(means === undefined ? {} : { means }),
        });
      const outputs = [...found].flatMap(([name, { result }]) =>
        tensorsIn(result).map((tensor, index) => [`${name}_${index}`, tensor] as const),
      );
      return Object.fromEntries(outputs);
    },
  });
  return { examples: found, ensemble };
};

const tensorsIn = (result: unknown): readonly Tensor[] =>
  Array.isArray(result)
    ? (result as readonly Tensor[])
    : "dtype" in (result as object)
      ? [result as Tensor]
      : Object.values(result as Readonly<Record<string, Tensor>>);

/** The bodies of the arrows, as this file has them. */
const exampleTexts = (): ReadonlyMap<string, string> => {
  const path = fileURLToPath(import.meta.url);
  const source = ts.createSourceFile(path, readFileSync(path, "utf8"), ts.ScriptTarget.ES2023, true);
  const texts = new Map<string, string>();
  const visit = (node: ts.Node): void => {
    if (ts.isPropertyAssignment(node) && ts.isArrayLiteralExpression(node.initializer)) {
      const [arrow] = node.initializer.elements;
      if (arrow !== undefined && ts.isArrowFunction(arrow))
        texts.set(node.name.getText(source), arrow.body.getText(source).replaceAll(/\s+/g, " "));
    }
    node.forEachChild(visit);
  };
  visit(source);
  return texts;
};
