import { didYouMean, dtypes, isDType, type OptionPath } from "@tritype/core";
import { dslError } from "./errors.ts";

const refuse = (message: string, help: string, option: OptionPath = []): never => {
  throw dslError("step/wrong-options", { problem: message }, { help, option });
};

/**
 * Checks, at run time, the requirements of the types that recording depends on.
 * @param required The required options in addition to `name`; misspellings of them are recognized.
 * @throws PipelineError `project/invalid` that names the constructor and the option.
 */
export const checkOptions = (
  constructor: string,
  options: unknown,
  required: readonly string[] = [],
): void => {
  if (typeof options !== "object" || options === null)
    return refuse(`\`${constructor}\` takes an object of options`, `write ${constructor}({ name: "…", … })`);
  const { name } = options as { readonly name?: unknown };
  const demanded = ["name", ...required];
  const others = Object.keys(options).filter((key) => !demanded.includes(key));
  for (const wanted of demanded.filter((key) => !Object.hasOwn(options, key))) {
    const near = didYouMean(wanted, others);
    const owner = typeof name === "string" ? name : constructor;
    if (near !== undefined)
      refuse(`\`${owner}\` has no option \`${near}\``, `did you mean \`${wanted}\`?`, [near]);
  }
  if (typeof name !== "string" || name === "")
    return refuse(`\`${constructor}\` has no \`name\``, "set the name of its model in the repository", [
      "name",
    ]);
};

/** Checks the option `ids`, which must be a dtype. @throws PipelineError `project/invalid` */
export const checkIds = (owner: string, ids: unknown): void => {
  if (typeof ids !== "function")
    refuse(`\`ids\` of \`${owner}\` is not a dtype`, 'import { int32 } from "tritype" and write ids: int32', [
      "ids",
    ]);
};

/** Checks the structure of a signature: name → `{ dtype, dims }`. @throws PipelineError `project/invalid` */
export const checkSignature = (owner: string, side: "inputs" | "outputs", signature: unknown): void => {
  if (typeof signature !== "object" || signature === null || Array.isArray(signature))
    return refuse(
      `\`${owner}\` has no \`${side}\``,
      `declare them: ${side}: { x: fp32("batch", 4) }; \`pipeline types model.onnx\` writes them for an ONNX file`,
      [side],
    );
  for (const [name, type] of Object.entries(signature)) {
    const { dtype, dims } = (typeof type === "object" && type !== null ? type : {}) as {
      readonly dtype?: unknown;
      readonly dims?: unknown;
    };
    if (
      typeof dtype === "string" &&
      isDType(dtype) &&
      Array.isArray(dims) &&
      !dims.some((dim) => typeof dim === "bigint")
    )
      continue;
    const near = typeof dtype === "string" ? didYouMean(dtype, Object.keys(dtypes)) : undefined;
    refuse(
      `\`${name}\` of \`${owner}\` is not a tensor type`,
      near === undefined
        ? 'write fp32("batch", 4), int64("batch", "seq"), …'
        : `did you mean ${near.toLowerCase()}(…)?`,
      [side, name],
    );
  }
};
