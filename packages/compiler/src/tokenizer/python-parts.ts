import { addedLength, type TokenizerPadding, type TokenizerTwinOptions } from "@tritype/manifest";

/** JSON's escapes are Python's too. */
export const literal = (text: string): string => JSON.stringify(text);

export const prefixConstant = (prefix: string): string =>
  prefix === "" ? "" : `PREFIX = ${literal(prefix)}  # in front of every text\n`;

export const paddingConstant = (padding: TokenizerPadding): string => {
  if (typeof padding === "string") return "";
  if ("multipleOf" in padding) return `MULTIPLE_OF = ${padding.multipleOf}  # of the padded length\n`;
  return `BUCKETS = [${padding.buckets.join(", ")}]  # padded lengths\n`;
};

export const padArguments = ({ pad }: TokenizerTwinOptions): string =>
  `{"direction": "${pad.side}", "pad_id": ${pad.id}, "pad_type_id": ${pad.typeId}, "pad_token": ${literal(pad.token)}}`;

/** Output of a tokenizer → attribute of an encoding. */
const attributes: Readonly<Record<string, string>> = {
  input_ids: "ids",
  attention_mask: "attention_mask",
  token_type_ids: "type_ids",
  special_tokens_mask: "special_tokens_mask",
  offsets: "offsets",
};

/** Which attribute of an encoding each tensor holds. */
export const fieldsConstant = (tensors: readonly string[]): string =>
  `FIELDS = {\n${tensors.map((tensor) => `    "${tensor}": "${attributes[tensor]}",\n`).join("")}}\n`;

/** How rows are cut, as a statement within a method. */
export const truncation = (options: TokenizerTwinOptions): string =>
  options.truncation !== false
    ? `self.tokenizer.enable_truncation(
            MAX_LENGTH${addedLength(options) === 0 ? "" : " - 1"}, stride=0, strategy="${strategies[String(options.truncation)]}", direction="${options.truncationSide}"
        )`
    : "self.tokenizer.no_truncation()";

const strategies: Readonly<Record<string, string>> = {
  true: "longest_first",
  onlyFirst: "only_first",
  onlySecond: "only_second",
};
