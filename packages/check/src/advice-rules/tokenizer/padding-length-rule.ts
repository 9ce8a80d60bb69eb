import { classModelPys } from "../../python/model-py/model-py.ts";
import { fixedPaddings } from "../../python/model-py/paddings.ts";
import { repositoryRule, type Rule } from "../../rule.ts";
import { ensembleEdges } from "../ensemble/ensemble-edges.ts";

/** Tensors whose length is set by a tokenizer's padding. */
const tokenTensors = /^(?:input_?ids|attention_?mask|token_?type_?ids)$/i;

/** A tokenizer that pads to a length that differs from the next model's. */
export const paddingLength: Rule = repositoryRule(
  {
    code: "python/padding-length",
    severity: "error",
    message: "`{path}` of `{producer}` pads to {tokens} tokens, but `{tensor}` of `{model}` has {size}",
    help: "pad to the length of the next model",
    reason:
      "Dims declared as -1 hide the difference from Triton's check, and every request fails in the ensemble: \"unexpected shape for input 'input_ids' for model …\".",
  },
  (repository, report) => {
    for (const { from, to } of ensembleEdges(repository)) {
      const { model } = to.checked;
      const input = to.checked.assumed?.input ?? [];
      const index = input.findIndex(({ name }) => name === to.port);
      const size = input[index]?.dims?.at(-1) ?? -1;
      if (size < 1 || input[index]?.reshape !== undefined) continue;
      if (!tokenTensors.test(to.port) || !tokenTensors.test(from.port)) continue;
      const producer = from.checked.model;
      for (const file of classModelPys(producer).slice(-1)) {
        const [padding, ...others] = fixedPaddings(file, producer);
        if (padding === undefined || others.length > 0 || padding.adjusted || padding.tokens === size)
          continue;
        report(
          [
            file.at(padding.length.from, `${padding.tokens} tokens`),
            model.at(["input", index, "dims"], `${size}`),
          ],
          {
            path: file.path,
            producer: producer.name,
            tokens: padding.tokens,
            tensor: to.port,
            model: model.name,
            size,
          },
        );
      }
    }
  },
);
