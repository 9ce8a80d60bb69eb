import { type Diagnostic, type Label, type StepDefinition, siteSpan } from "@tritype/core";
import type { CompilerHost } from "../compiler-host.ts";
import { findPadToken } from "./pad-token.ts";
import { specialCount } from "@tritype/manifest";
import { diagnose } from "./tokenizer-diagnostics.ts";
import { readTokenizerFile, type TokenizerFile, type TokenizerFileProblem } from "./tokenizer-file.ts";
import { type TokenizerStepOptions, tokenizerOptionsSchema } from "@tritype/manifest";

/** Holds a tokenizer's options against each other and against its files. */
export const checkTokenizer = (step: StepDefinition, host: CompilerHost): readonly Diagnostic[] => {
  const options = tokenizerOptionsSchema.safeParse(step.options);
  if (!options.success)
    return options.error.issues.map(({ path, message: reason }) =>
      diagnose("tokenizer/invalid-option", {
        with: {
          step: step.name,
          option: path.join("."),
          reason,
          got: show(path.reduce(member, step.options)),
        },
        labels: labels(step, "this tokenizer"),
      }),
    );
  const file = readTokenizerFile(host, options.data.from);
  return [
    ...checkPadding(step, options.data),
    ...(file.kind === "tokenizer" ? checkFile(step, options.data, file) : [fileProblem(step, file)]),
  ];
};

const member = (value: unknown, key: PropertyKey): unknown =>
  (value as Readonly<Record<PropertyKey, unknown>> | undefined)?.[key];
const show = (value: unknown): string => (value === undefined ? "nothing" : JSON.stringify(value));

const labels = (step: StepDefinition, text: string): Label[] => {
  const span = siteSpan(step.site);
  return span === undefined ? [] : [{ span, text }];
};

const checkPadding = (
  step: StepDefinition,
  { padding, maxLength }: TokenizerStepOptions,
): readonly Diagnostic[] => {
  const problem = (reason: string, advice: string): readonly Diagnostic[] => [
    diagnose("tokenizer/padding-length", {
      with: { step: step.name, reason, advice },
      labels: labels(step, "padded here"),
    }),
  ];
  if (typeof padding === "string") return [];
  if ("multipleOf" in padding) {
    const { multipleOf } = padding;
    const padded = Math.ceil(maxLength / multipleOf) * multipleOf;
    if (padded === maxLength) return [];
    return problem(
      `rows of ${maxLength} tokens would be padded to ${padded}, over \`maxLength\``,
      `set \`maxLength\` to a multiple of ${multipleOf}`,
    );
  }
  const { buckets } = padding;
  const list = buckets.join(", ");
  if (buckets.some((bucket, index) => bucket <= (buckets[index - 1] ?? 0)))
    return problem(`the buckets ${list} do not ascend`, "sort them and name each once");
  if (buckets.at(-1) === maxLength) return [];
  return problem(
    `the buckets ${list} do not end at \`maxLength\`, ${maxLength}`,
    `make ${maxLength} the last bucket`,
  );
};

const checkFile = (
  step: StepDefinition,
  options: TokenizerStepOptions,
  file: TokenizerFile,
): readonly Diagnostic[] => {
  const { maxLength, from: folder } = options;
  const { path } = file;
  const parts = options.pair ? file.template.pair : file.template.single;
  const special = options.addSpecialTokens ? specialCount(parts) : 0;
  const limit = file.config.modelMaxLength ?? Infinity;
  const atFile = labels(step, `uses ${path}`);
  const atLength = labels(step, `\`maxLength\` is ${maxLength}`);
  const found: Diagnostic[] = [];
  if (findPadToken(file) === undefined)
    found.push(diagnose("tokenizer/no-pad-token", { with: { path, folder }, labels: atFile }));
  if (maxLength <= special) {
    const parameters = { step: step.name, maxLength, special, least: special + 1 };
    found.push(diagnose("tokenizer/max-length-too-small", { with: parameters, labels: atLength }));
  }
  if (maxLength > limit) {
    const parameters = { step: step.name, maxLength, limit };
    found.push(diagnose("tokenizer/max-length-over-model", { with: parameters, labels: atLength }));
  }
  if (file.dropout > 0)
    found.push(diagnose("tokenizer/random", { with: { path, dropout: file.dropout }, labels: atFile }));
  if (lacksUnknownToken(file))
    found.push(
      diagnose("tokenizer/no-unknown-token", { with: { path, model: file.modelType }, labels: atFile }),
    );
  return found;
};

const lacksUnknownToken = (file: TokenizerFile): boolean =>
  file.unknownToken === null ||
  (file.unknownToken !== undefined && file.tokenId(file.unknownToken) === undefined);

const fileProblem = (step: StepDefinition, file: TokenizerFileProblem): Diagnostic => {
  const { path } = file;
  const at = labels(step, "this tokenizer");
  if (file.kind === "not-found")
    return diagnose("tokenizer/file-not-found", {
      with: { step: step.name, path },
      labels: at,
      ...notFoundHelp(file),
    });
  if (file.kind === "not-json")
    return diagnose("tokenizer/not-json", {
      with: { path },
      labels: at,
      ...(file.gitLfs ? { help: "run `git lfs pull`: the file is a Git LFS pointer" } : {}),
    });
  return diagnose("tokenizer/unknown-format", { with: { path, reason: file.reason }, labels: at });
};

const notFoundHelp = ({
  path,
  others,
}: TokenizerFileProblem & { kind: "not-found" }): { readonly help?: string } => {
  if (path.endsWith(".json/tokenizer.json"))
    return { help: "set `from` to the folder, without the file's name" };
  if (others.length === 0) return {};
  const made = "`AutoTokenizer.from_pretrained(folder).save_pretrained(folder)`";
  return {
    help: `the folder has ${others.join(" and ")}: make tokenizer.json of it with transformers, ${made}`,
  };
};
