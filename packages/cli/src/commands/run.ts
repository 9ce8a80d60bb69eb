import { didYouMean, guessHelp, tensorOf, type NamedTensors, valuesOf } from "@tritype/core";
import { type Endpoint, openLocal, openRemote } from "@tritype/endpoint";
import { explainRefusal } from "@tritype/protocol";
import type { ModelMetadata, TensorMetadata } from "@tritype/runtime";
import { type ExitCode, type Given, usage } from "../command.ts";
import { parseExactJson } from "../exact-json.ts";
import { deviceOf } from "../project/device.ts";
import { refuseProfileOf } from "../project/need-profile.ts";
import { profiledRepositoryOf } from "../project/repository-of.ts";
import { type Nested, requestInputs, showType, signatureOf } from "../request-inputs.ts";
import { serverUrl } from "../server-url.ts";
import { showTensor } from "../show-tensor.ts";
import { noticeOf, type Terminal } from "../terminal.ts";
import { cliError } from "../errors.ts";

/** `pipeline run [ensemble] [text…]` */
export const run = async (given: Given, terminal: Terminal): Promise<ExitCode> => {
  const url = given.text("url");
  const endpoint = url === undefined ? await openBuilt(given, terminal) : await openUrl(url, given);
  if (endpoint === undefined) return 1;
  try {
    const models = endpoint.models ?? given.positionals.slice(0, 1);
    const { model, texts } = chooseModel(given.positionals, models);
    const metadata = await endpoint.metadata(model);
    const inputs = requestInputs(model, metadata.inputs, valuesOfOptions(given, metadata, texts));
    const outputs = await endpoint.infer(model, inputs).catch((error: unknown) => {
      throw explainRefusal(error, model, signatureOf(model, metadata.inputs));
    });
    terminal.out(
      given.flag("json")
        ? await printJson(model, outputs)
        : [...outputs].map(([name, tensor]) => showTensor(name, tensor)).join("\n"),
    );
    return 0;
  } finally {
    await endpoint.close();
  }
};

const openBuilt = async (given: Given, terminal: Terminal): Promise<Endpoint | undefined> => {
  const device = deviceOf(given, "cpu");
  const built = await profiledRepositoryOf(undefined, given, terminal);
  if (built === undefined) return undefined;
  const { repository, ensembles, configName } = built;
  const python = given.flag("python") ? "always" : "twin";
  const notice = noticeOf(terminal);
  return {
    ...(await openLocal("the project", { repository, device, configName, python, notice })),
    models: ensembles,
  };
};

const openUrl = (url: string, given: Given): Promise<Endpoint> => {
  refuseProfileOf(given, "url");
  return openRemote(url, { http: serverUrl(url, "url").href });
};

const chooseModel = (
  positionals: readonly string[],
  models: readonly string[],
): { readonly model: string; readonly texts: readonly string[] } => {
  const [first, ...rest] = positionals;
  if (first !== undefined && models.includes(first)) return { model: first, texts: rest };
  const [only, ...others] = models;
  if (only !== undefined && others.length === 0) {
    // The first of several words is probably the model's name, misspelt, rather than a text.
    if (rest.length > 0 && first !== undefined && didYouMean(first, models) !== undefined)
      throw usage(
        `there is no ensemble \`${first}\``,
        `did you mean \`${only}\`? If \`${first}\` is the input, put the ensemble's name before it: pipeline run ${only} ${JSON.stringify(first)} …`,
      );
    return { model: only, texts: positionals };
  }
  if (models.length === 0)
    throw usage("which model should run?", 'put its name first: pipeline run --url … embed "a text"');
  throw usage(
    first === undefined ? "which ensemble should run?" : `there is no ensemble \`${first}\``,
    guessHelp(first ?? "", models, `put a name first: ${models.join(", ")}`),
  );
};

/** `--input name=value`, and the texts for the only text input that no option sets. */
const valuesOfOptions = (
  given: Given,
  metadata: ModelMetadata,
  texts: readonly string[],
): ReadonlyMap<string, Nested> => {
  const values = new Map<string, Nested>();
  for (const option of given.texts("input")) {
    const at = option.indexOf("=");
    if (at < 1) throw usage(`--input is ${option}`, "write --input name=value");
    const name = option.slice(0, at);
    if (values.has(name))
      throw usage(
        `--input ${name} is given twice`,
        `pass several rows as one list: --input '${name}=[…, …]'`,
      );
    const input = metadata.inputs.find((candidate) => candidate.name === name);
    values.set(name, input === undefined ? "" : parseValue(option.slice(at + 1), input));
  }
  if (texts.length === 0) return values;
  const open = metadata.inputs.filter(({ name, datatype }) => datatype === "BYTES" && !values.has(name));
  const [target, ...others] = open;
  if (target === undefined)
    throw usage(
      `\`${metadata.name}\` has no text input${values.size > 0 ? " left" : ""} for ${JSON.stringify(texts[0])}`,
      `its inputs are ${metadata.inputs.map((input) => `\`${input.name}\` ${showType(input)}`).join(", ")}: --input name=value`,
    );
  if (others.length > 0)
    throw usage(
      `\`${metadata.name}\` has ${open.length} text inputs: ${open.map(({ name }) => `\`${name}\``).join(", ")}`,
      "assign them: --input name=text",
    );
  return values.set(target.name, texts);
};

/** Text is taken literally; everything else is JSON. */
const parseValue = (text: string, input: TensorMetadata): Nested => {
  if (input.datatype === "BYTES" && !text.trimStart().startsWith("[")) return text;
  try {
    return parseExactJson(text) as Nested;
  } catch (error) {
    if (input.datatype === "BYTES") return text;
    throw cliError(
      "request/input-not-json",
      {
        input: input.name,
        text,
        type: showType(input),
        example: input.datatype === "BOOL" ? "true, [[true, false]]" : "1, [[1, 2]]",
      },
      { cause: error },
    );
  }
};

/** KServe v2 JSON, in which FP16 and BF16, which Triton does not send as JSON, are printed as numbers. */
const printJson = async (model: string, outputs: NamedTensors): Promise<string> => {
  const { printJsonData } = await import("@tritype/protocol");
  const printed = [...outputs].map(([name, tensor]) => {
    const widened =
      tensor.dtype === "FP16" || tensor.dtype === "BF16"
        ? tensorOf("FP32", tensor.shape, valuesOf(tensor))
        : tensor;
    return `{"name":${JSON.stringify(name)},"datatype":"${tensor.dtype}","shape":${JSON.stringify(tensor.shape)},"data":${printJsonData(widened)}}`;
  });
  return `{"model_name":${JSON.stringify(model)},"model_version":"1","outputs":[${printed.join(",")}]}`;
};
