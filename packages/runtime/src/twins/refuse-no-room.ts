import { foreignError } from "@tritype/core";
import type { JsEncoding } from "tokenizers";
import type { EngineOptions } from "./tokenizer-engine.ts";

type WholeRow = Pick<JsEncoding, "getLength" | "getSequenceIds">;

/**
 * Checks untruncated rows of pairs against `maxLength`, if only one of the texts may be cut and must keep a token.
 * @throws PipelineError `request/invalid` for the first row in which the other tokens leave no room.
 */
export const refuseNoRoom = (
  rows: readonly WholeRow[],
  { maxLength, truncation }: Pick<EngineOptions, "maxLength" | "truncation">,
): void => {
  const [cut, name] = truncation === "onlyFirst" ? [0, "text"] : [1, "text_pair"];
  rows.forEach((row, index) => {
    const length = row.getLength();
    const beside = row.getSequenceIds().filter((id) => id !== cut).length;
    if (length > maxLength && beside >= maxLength)
      throw foreignError(
        "request/invalid",
        `row ${index} has ${length} tokens, the maximum is ${maxLength}: ${beside} of them are outside of ${name}, the only text that is cut`,
      );
  });
};
