/** A project template for `pipeline init` and `npm create tritype`. */
export interface Template {
  readonly name: string;
  readonly summary: string;
  /** The project's description in package.json. */
  readonly description: string;
  /** A first request, as arguments of `pipeline run`. */
  readonly request: readonly [ensemble: string, text: string];
}

/** The first is the default. */
export const templates: readonly Template[] = [
  {
    name: "embedding",
    summary: "text → vector: tokenizer, encoder, mean pool, L2 norm (model of 2 MB)",
    description: "Sentence embeddings on NVIDIA Triton",
    request: ["embed", "a sentence"],
  },
  {
    name: "classification",
    summary: "text → label and probabilities: tokenizer, classifier, softmax, lookup (model of 245 kB)",
    description: "Topics of support messages on NVIDIA Triton",
    request: ["classify", "Where is my parcel?"],
  },
];
