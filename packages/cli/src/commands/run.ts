import { decodeUtf8, isDType, type NamedTensors, PipelineError } from "@tritype/core";
import type { ModelMetadata } from "@tritype/runtime";
import type { ExitCode, Given } from "../command.ts";
import { deviceOf } from "../project/device.ts";
import { repositoryOf } from "../project/repository-of.ts";
import { type Nested, requestInputs } from "../request-inputs.ts";
import { showTensor } from "../show-tensor.ts";
import type { Terminal } from "../terminal.ts";

/** What one request needs of a server, local or remote. */
interface Answerer {
  readonly models: readonly string[];
  metadata(model: string): Promise<ModelMetadata>;
  infer(model: string, inputs: NamedTensors): Promise<NamedTensors>;
  close(): Promise<void>;
}

/** `pipeline run [ensemble] [text…]` */
export const run = async (given: Given, terminal: Terminal): Promise<ExitCode> => {
  const url = given.text("url");
  const answerer = url === undefined ? await openLocal(given, terminal) : await openRemote(url, given);
  if (answerer === undefined) return 1;
  try {
    const { model, texts } = chooseModel(given.positionals, answerer.models);
    const metadata = await answerer.metadata(model);
    const inputs = requestInputs(model, metadata.inputs, valuesOfOptions(given, metadata, texts));
    const outputs = await answerer.infer(model, inputs);
    terminal.out(
      given.flag("json")
        ? await printJson(model, outputs)
        : [...outputs].map(([name, tensor]) => showTensor(name, tensor)).join("\n"),
    );
    return 0;
  } catch (error) {
    if (PipelineError.is(error) && error.code.startsWith("request/") && error.help === undefined)
      throw new PipelineError(error.code, error.message, {
        cause: error,
        help: "see the model's inputs with `pipeline dev`, GET /v2/models/<name>",
      });
    throw error;
  } finally {
    await answerer.close();
  }
};

const openLocal = async (given: Given, terminal: Terminal): Promise<Answerer | undefined> => {
  const device = deviceOf(given, "cpu");
  const built = await repositoryOf(undefined, given, terminal);
  if (built === undefined) return undefined;
  const { startRuntime } = await import("@tritype/runtime");
  const runtime = await startRuntime({
    repository: built.repository,
    device,
    python: given.flag("python") ? "always" : "twin",
    notice: (text) => terminal.note(`${terminal.colors.dim("note")} ${text}`),
  });
  return {
    models: built.ensembles,
    metadata: (model) => Promise.resolve(runtime.modelMetadata(model)),
    infer: async (model, inputs) => (await runtime.infer({ model, id: "", inputs })).outputs,
    close: () => runtime.close(),
  };
};

const openRemote = async (url: string, given: Given): Promise<Answerer> => {
  const { httpClient } = await import("@tritype/client");
  const client = httpClient(url);
  return {
    models: given.positionals.slice(0, 1),
    metadata: (model) => client.modelMetadata(model),
    infer: async (model, inputs) => await client.infer({ model, inputs }),
    close: async () => client.close(),
  };
};

const chooseModel = (
  positionals: readonly string[],
  models: readonly string[],
): { readonly model: string; readonly texts: readonly string[] } => {
  const [first, ...rest] = positionals;
  if (first !== undefined && models.includes(first)) return { model: first, texts: rest };
  const [only, ...others] = models;
  if (only !== undefined && others.length === 0) return { model: only, texts: positionals };
  throw new PipelineError("usage/invalid", "which ensemble should run?", {
    help:
      models.length === 0
        ? 'name the model first: pipeline run --url … embed "a text"'
        : `name one first: ${models.join(", ")}`,
  });
};

/** `--input name=value`, and the texts for the only input of text that no option gives. */
const valuesOfOptions = (
  given: Given,
  metadata: ModelMetadata,
  texts: readonly string[],
): ReadonlyMap<string, Nested> => {
  const values = new Map(
    given.texts("input").map((option): [string, Nested] => {
      const at = option.indexOf("=");
      if (at < 1)
        throw new PipelineError("usage/invalid", `--input is ${option}`, {
          help: "write --input name=value",
        });
      const name = option.slice(0, at);
      return [
        name,
        parseValue(option.slice(at + 1), metadata.inputs.find((input) => input.name === name)?.datatype),
      ];
    }),
  );
  if (texts.length === 0) return values;
  const open = metadata.inputs.filter(({ name, datatype }) => datatype === "BYTES" && !values.has(name));
  const [target, ...others] = open;
  if (target === undefined || others.length > 0)
    throw new PipelineError("request/invalid", `\`${metadata.name}\` has ${open.length} inputs of text`, {
      help: "say which is which: --input name=text",
    });
  return values.set(target.name, texts);
};

const parseValue = (text: string, datatype: string | undefined): Nested => {
  const list = text.trimStart().startsWith("[");
  if (datatype === "BYTES" && !list) return text;
  try {
    return JSON.parse(text, (_, value: unknown) => value) as Nested;
  } catch (error) {
    throw new PipelineError("request/invalid", `--input: ${text} is not JSON`, {
      cause: error,
      help:
        datatype !== undefined && isDType(datatype)
          ? `pass ${datatype} values as JSON: 1.5, [[1, 2]]`
          : "pass JSON",
    });
  }
};

const printJson = async (model: string, outputs: NamedTensors): Promise<string> => {
  const { printInferResponse } = await import("@tritype/protocol");
  return decodeUtf8(
    printInferResponse(
      { model, version: "1", id: "", outputs },
      { binary: new Map(), binaryByDefault: false },
    ).body,
  );
};
