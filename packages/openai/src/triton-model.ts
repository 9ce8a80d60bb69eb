import {
  type DType,
  isDType,
  type NamedTensors,
  type Scalar,
  type TensorData,
  tensorOf,
} from "@tritype/core";
import type { ManifestChat } from "@tritype/manifest";
import type { ModelMetadata } from "@tritype/protocol";
import { badRequest } from "./refusal.ts";
import { numbersOf, textOf } from "./read-output.ts";
import type { Sampling } from "./sampling.ts";
import type { Asked, Ending, Question, TextModel } from "./text-model.ts";

/** The maximum number of tokens for a request that sets none, as in Triton's frontend. */
const fewTokens = 16;

/** Whether Triton's frontend can use this model: it has the tensors of vLLM or TensorRT-LLM models. */
export const takesText = ({ inputs, outputs }: ModelMetadata): boolean =>
  [
    [inputs, "text_input"],
    [outputs, "text_output"],
  ].every(([tensors, name]) =>
    (tensors as ModelMetadata["inputs"]).some((one) => one.name === name && one.datatype === "BYTES"),
  );

/**
 * A model with the tensors of vLLM or TensorRT-LLM models. It gets the same requests as from Triton's frontend: in
 * vLLM's format if that is its backend, otherwise in TensorRT-LLM's. Inputs that it does not declare are left out; a
 * setting that needs one of them is refused.
 */
export const tritonModel = (
  { name, inputs }: ModelMetadata,
  backend: string,
  chat: ManifestChat | undefined,
): TextModel => {
  const declared = new Map(inputs.map((input) => [input.name, input.datatype]));
  const form = backend === "vllm" ? vllmForm : tensorrtForm;
  return {
    name,
    chat,
    tokenizer: undefined,
    ask: (question) => {
      const counted = ["return_num_input_tokens", "return_num_output_tokens"].map((one) =>
        optional(one, [true]),
      );
      const values = [...form(question), ...counted];
      const missing = values.find(({ asked, input }) => asked !== undefined && !declared.has(input));
      if (missing?.asked !== undefined)
        throw badRequest(
          `model '${name}' does not take '${missing.asked}': it has no input '${missing.input}'`,
          missing.asked,
        );
      const shaped = values.flatMap(({ input, elements }) => {
        const dtype = declared.get(input);
        return dtype === undefined || !isDType(dtype)
          ? []
          : [[input, tensor(dtype, elements, backend)] as const];
      });
      return asked(name, new Map(shaped));
    },
  };
};

/** An input, with the setting that it comes from; undefined for a default. */
interface Value {
  readonly input: string;
  readonly elements: readonly Scalar[];
  readonly asked: string | undefined;
}
const optional = (input: string, elements: readonly Scalar[]): Value => ({
  input,
  elements,
  asked: undefined,
});

/** vLLM models have no batch dim. */
const tensor = (dtype: DType, elements: readonly Scalar[], backend: string): TensorData =>
  tensorOf(dtype, backend === "vllm" ? [elements.length] : [1, elements.length], elements);

/** Everything except the prompt is one JSON text. */
const vllmForm = ({ prompt, sampling, stream, echo, temperature }: Question): readonly Value[] => {
  const given = { ...defaults(temperature), ...withoutUnset(sampling) };
  return [
    { input: "text_input", elements: [prompt], asked: "prompt" },
    optional("stream", [stream]),
    optional("exclude_input_in_output", [!echo]),
    optional("sampling_parameters", [JSON.stringify(given)]),
  ];
};

/** An input for each setting. */
const tensorrtForm = ({ prompt, sampling, asked, stream, echo, temperature }: Question): readonly Value[] => {
  const given = withoutUnset(sampling);
  const values = { ...defaults(temperature), ...given };
  const setting = (name: string, input = name): readonly Value[] => {
    const value = values[name];
    if (value === undefined) return [];
    const member = name === "max_tokens" ? asked.max_tokens : name;
    return [{ input, elements: [value].flat(), asked: name in given ? member : undefined }];
  };
  return [
    { input: "text_input", elements: [prompt], asked: "prompt" },
    optional("stream", [stream]),
    ...["max_tokens", "top_p", "frequency_penalty", "presence_penalty", "seed", "temperature"].flatMap(
      (name) => setting(name),
    ),
    ...setting("stop", "stop_words"),
    optional("exclude_input_in_output", [!echo]),
    optional("sampling_param_exclude_input_from_output", [!echo]),
  ];
};

type Settings = Readonly<Record<string, Scalar | readonly Scalar[]>>;

const withoutUnset = (sampling: Sampling): Settings =>
  Object.fromEntries(Object.entries(sampling).filter(([, value]) => value !== undefined));

/** The values that Triton's frontend uses. */
const defaults = (temperature: number): Settings => ({
  max_tokens: fewTokens,
  temperature,
  top_p: 1,
  frequency_penalty: 0,
  presence_penalty: 0,
});

const asked = (model: string, inputs: NamedTensors): Asked => {
  let prompt: number | undefined;
  let completion = 0;
  return {
    request: { model, id: "", inputs },
    before: "",
    read: (outputs) => {
      prompt ??= numbersOf(outputs, "num_input_tokens")[0];
      completion += numbersOf(outputs, "num_output_tokens")[0] ?? 0;
      return textOf(outputs, "text_output");
    },
    end: (): Ending => ({
      finish: "stop",
      tokens: prompt === undefined ? undefined : { prompt, completion },
    }),
  };
};
