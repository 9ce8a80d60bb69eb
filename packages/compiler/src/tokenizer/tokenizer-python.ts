import { addedLength, type TokenizerTwinOptions } from "@tritype/manifest";
import { languageFunctions, languagesConstant, withLanguages } from "./language-python.ts";
import {
  fieldsConstant,
  literal,
  padArguments,
  paddingConstant,
  prefixConstant,
  truncation,
} from "./python-parts.ts";

/** The `model.py` of a tokenizer step for Triton's python backend. Its constants are the options of the native twin. */
export const tokenizerPython = (options: TokenizerTwinOptions): string => `\
"""Text to token ids, by the tokenizer.json beside this file."""

import json
from pathlib import Path
${options.languages?.source === true ? "from types import SimpleNamespace\n" : ""}
import numpy as np
import triton_python_backend_utils as pb_utils
from tokenizers import Tokenizer

STEP = ${literal(options.step)}  # how messages name this model
MAX_LENGTH = ${options.maxLength}  # tokens of a row, special tokens included
${prefixConstant(options.prefix)}${paddingConstant(options.padding)}\
PAD = ${padArguments(options)}
${fieldsConstant(outputsOf(options))}${languagesConstant(options)}

class InvalidRequest(Exception):
    """The client's mistake; its text is the answer."""


class TritonPythonModel:
    def initialize(self, args):
        self.tokenizer = Tokenizer.from_file(str(Path(__file__).with_name("tokenizer.json")))
        # What the file itself says about truncation and padding does not count.
        ${cutText(options) === undefined ? truncation(options) : "self.truncate()"}
        self.tokenizer.no_padding()
        outputs = json.loads(args["model_config"])["output"]
        self.declared = {output["name"]: output for output in outputs}

    def execute(self, requests):
        return [self.respond(request) for request in requests]

    def respond(self, request):
        try:
            rows, length = self.encode(request)
${options.languages?.target === true ? answerWithTargets : answer}\
        except InvalidRequest as error:
            return failure(error, pb_utils.TritonError.INVALID_ARG)
        except Exception as error:  # one request's failure is not its neighbour's
            return failure(error, pb_utils.TritonError.INTERNAL)

    def encode(self, request):
        """The rows of a request as encodings, all padded to one length."""
${encodeBatch(options)}\
${options.truncation === false ? tooLong(options) : ""}\
${paddedLength(options)}\
        for row in rows:
            row.pad(length${addedLength(options) === 0 ? "" : " - 1"}, **PAD)
${withLanguages(options)}\
        return rows, length
${noRoom(options)}
    def tensor(self, name, rows, length):
        """An output in the dtype of config.pbtxt, held against its dims."""
        shape = [len(rows), length, 2] if name == "offsets" else [len(rows), length]
        dims = self.declared[name]["dims"]
        if any(dim not in (-1, size) for dim, size in zip(dims, shape[-len(dims) :])):
            raise ValueError(f"output {name} has shape {shape}, config.pbtxt declares {dims}")
        dtype = pb_utils.triton_string_to_numpy(self.declared[name]["data_type"])
        values = np.array([getattr(row, FIELDS[name]) for row in rows], dtype)
        return pb_utils.Tensor(name, values.reshape(shape))


def read_texts(request, name):
    values = pb_utils.get_input_tensor_by_name(request, name).as_numpy()
    texts = []
    for row, value in enumerate(values.reshape(-1)):
        try:
            texts.append(value.decode("utf-8"))
        except UnicodeDecodeError:
            raise InvalidRequest(f"row {row} of {name} is not valid UTF-8") from None
    return texts

${languageFunctions(options)}
def failure(error, code):
    return pb_utils.InferenceResponse(error=pb_utils.TritonError(f"{STEP}: {error}", code))
`;

const outputsOf = (options: TokenizerTwinOptions): readonly string[] => [
  "input_ids",
  "attention_mask",
  ...(options.tokenTypeIds ? ["token_type_ids"] : []),
  ...(options.specialTokensMask ? ["special_tokens_mask"] : []),
  ...(options.offsets ? ["offsets"] : []),
];

const answer = `\
            names = request.requested_output_names()
            return pb_utils.InferenceResponse([self.tensor(name, rows, length) for name in names])
`;

const answerWithTargets = `\
            targets = np.array(read_languages(request, "target_language"), np.int64).reshape(-1, 1)
            tensors = [
                pb_utils.Tensor(name, targets) if name == "forced_bos_token_id" else self.tensor(name, rows, length)
                for name in request.requested_output_names()
            ]
            return pb_utils.InferenceResponse(tensors)
`;

const encodeBatch = (options: TokenizerTwinOptions): string => {
  const { prefix, pair, languages } = options;
  const special = specialArgument(options);
  const sources =
    languages?.source === true ? `        sources = read_languages(request, "source_language")\n` : "";
  const text = `        texts = ${prefix === "" ? "" : "[PREFIX + text for text in "}read_texts(request, "text")${prefix === "" ? "" : "]"}\n`;
  if (!pair) return `${text}${sources}        rows = self.tokenizer.encode_batch(texts${special})\n`;
  const pairs = `${text}        pairs = list(zip(texts, read_texts(request, "text_pair")))\n`;
  if (cutText(options) === undefined)
    return `${pairs}        rows = self.tokenizer.encode_batch(pairs${special})\n`;
  return `${pairs}        try:
            rows = self.tokenizer.encode_batch(pairs${special})
        except Exception:
            self.refuse_no_room(pairs)
            raise
`;
};

/** The text of a pair that alone is cut. */
const cutText = ({
  truncation,
}: TokenizerTwinOptions): { readonly id: 0 | 1; readonly name: string } | undefined => {
  if (typeof truncation === "boolean") return undefined;
  return truncation === "onlyFirst" ? { id: 0, name: "text" } : { id: 1, name: "text_pair" };
};

const noRoom = (options: TokenizerTwinOptions): string => {
  const cut = cutText(options);
  if (cut === undefined) return "";
  return `
    def truncate(self):
        ${truncation(options)}

    def refuse_no_room(self, pairs):
        """Holds uncut rows against the most: one token of ${cut.name} must stay."""
        self.tokenizer.no_truncation()
        try:
            rows = self.tokenizer.encode_batch(pairs${specialArgument(options)})
        finally:
            self.truncate()
        for index, row in enumerate(rows):
            beside = len(row) - row.sequence_ids.count(${cut.id})
            if len(row) > MAX_LENGTH and beside >= MAX_LENGTH:
                raise InvalidRequest(
                    f"row {index} has {len(row)} tokens, the most is {MAX_LENGTH}: "
                    f"{beside} of them are beside ${cut.name}, which alone is cut"
                )
`;
};

const specialArgument = ({ addSpecialTokens }: TokenizerTwinOptions): string =>
  addSpecialTokens ? "" : ", add_special_tokens=False";

/** Tokens of a row, that of its language included. */
const size = (options: TokenizerTwinOptions): string =>
  addedLength(options) === 0 ? "len(row)" : "len(row) + 1";

const tooLong = (options: TokenizerTwinOptions): string => `\
        for index, row in enumerate(rows):
            if ${size(options)} > MAX_LENGTH:
                raise InvalidRequest(f"row {index} has {${size(options)}} tokens, the most is {MAX_LENGTH}")
`;

const paddedLength = (options: TokenizerTwinOptions): string => {
  const { padding } = options;
  if (padding === "maxLength") return "        length = MAX_LENGTH\n";
  const longest = `max(${addedLength(options) === 0 ? "map(len, rows)" : "(len(row) + 1 for row in rows)"}, default=0)\n`;
  if (padding === "longest") return `        length = ${longest}`;
  return `        longest = ${longest}${
    "multipleOf" in padding
      ? "        length = longest + -longest % MULTIPLE_OF\n"
      : "        length = next(bucket for bucket in BUCKETS if bucket >= longest)\n"
  }`;
};
