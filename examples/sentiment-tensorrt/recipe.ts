import { z } from "zod";
import { classifier } from "./models/classifier.ts";
import written from "./recipe.json" with { type: "json" };

const file = "recipe.json";
const whole = z.int().min(1);

const recipeSchema = z.strictObject({
  /** Name of the ensemble. */
  name: z.string().regex(/^[a-z][a-z0-9_]*$/, "lower-case letters, digits and _"),
  /** The meanings of the classifier's outputs, in order. */
  labels: z
    .array(z.string().min(1))
    .refine((labels) => new Set(labels).size === labels.length, "a label occurs twice"),
  /** The answer if the best label's score, from 0 to 1, is lower than `below`. */
  unsure: z.strictObject({ label: z.string().min(1), below: z.number().min(0).max(1) }),
  /** Text that is put in front of every input text. */
  taskPrefix: z.string(),
  /** Maximum number of tokens of a text, including the prefix and both special tokens. */
  maxTokens: whole.max(512),
  /** What to do with a longer text: cut it, or fail its request. */
  tooLong: z.enum(["cut", "refuse"]),
  /** Sequence lengths that the classifier receives. */
  padToMultipleOf: whole,
  maxBatchSize: whole,
});

export type Recipe = z.infer<typeof recipeSchema>;

/** The contents of recipe.json, or an error that names every unknown, missing or invalid key. */
export const readRecipe = (value: unknown): Recipe => {
  const read = recipeSchema.safeParse(value);
  if (!read.success) throw new Error(`${file} is no recipe\n${z.prettifyError(read.error)}`);
  const { labels, maxTokens, padToMultipleOf } = read.data;
  const [, outputs] = classifier.outputs.logits.dims;
  if (labels.length !== outputs)
    throw new Error(
      `${file}: ${labels.length} ${labels.length === 1 ? "label" : "labels"} (${labels.join(", ")}), but the classifier, ${classifier.onnx}, has ${outputs} outputs: ` +
        "name each of them, in order",
    );
  if (maxTokens % padToMultipleOf !== 0)
    throw new Error(
      `${file}: maxTokens, ${maxTokens}, is no multiple of padToMultipleOf, ${padToMultipleOf}`,
    );
  return read.data;
};

export const recipe: Recipe = readRecipe(written);
