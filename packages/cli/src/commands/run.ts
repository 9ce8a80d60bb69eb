import { type NamedTensors, PipelineError, tensorOf, valuesOf } from "@tritype/core";
import { type Endpoint, openRemote, refuseMisfit, typesOf } from "@tritype/endpoint";
import { explainRefusal, type ModelMetadata } from "@tritype/protocol";
import { answeringVersion } from "../answering-version.ts";
import { timeoutMsOf } from "../bench/bench-plan.ts";
import { refuseSequences, servedConfigs } from "../bench/served-models.ts";
import type { ExitCode, Given } from "../command.ts";
import { givenHeaders } from "../given-headers.ts";
import { refuseProfileOf } from "../project/need-profile.ts";
import { openBuilt } from "../project/open-built.ts";
import { chooseModel, givenInputs, valuesOfOptions } from "../request-options.ts";
import { describeModel, requestInputs, signatureOf } from "../request-inputs.ts";
import { serverUrl } from "../server-url.ts";
import { showTensor } from "../show-tensor.ts";
import type { Terminal } from "../terminal.ts";

/** `pipeline run [ensemble] [text…]` */
export const run = async (given: Given, terminal: Terminal): Promise<ExitCode> => {
  const url = given.text("url");
  const written = givenInputs(given);
  const choose = (models: readonly string[]) => chooseModel("run", given.positionals, models);
  const endpoint =
    url === undefined
      ? await openBuilt(undefined, given, terminal, choose)
      : await openUrl(url, given, terminal);
  if (endpoint === undefined) return 1;
  try {
    const models = endpoint.models ?? given.positionals.slice(0, 1);
    const { model, texts } = choose(models);
    const metadata = await describeModel(endpoint, model);
    const values = valuesOfOptions(written, metadata, texts, endpoint.accepted?.(model));
    const inputs = requestInputs(model, metadata.inputs, values);
    const declared = endpoint.declared?.(model) ?? typesOf(metadata);
    try {
      // A model may stream in the local runtime.
      const answers = endpoint.stream?.(model, inputs) ?? [await endpoint.infer(model, inputs)];
      for await (const outputs of answers) {
        terminal.out(
          given.flag("json")
            ? await printJson(metadata, outputs)
            : [...outputs].map(([name, tensor]) => showTensor(name, tensor)).join("\n"),
        );
        await refuseMisfit(endpoint, { model, declared, inputs }, outputs);
      }
    } catch (error) {
      if (PipelineError.is(error) && error.code === "server/unreachable") throw error;
      refuseSequences(await servedConfigs(endpoint, model).catch(() => new Map()), model, "run");
      throw explainRefusal(error, model, signatureOf(model, metadata.inputs));
    }
    return 0;
  } finally {
    await endpoint.close();
  }
};

/** A server, which knows neither the elements that its inputs accept nor the names of dims. */
const openUrl = (
  url: string,
  given: Given,
  terminal: Terminal,
): Promise<Endpoint & { readonly accepted?: undefined; readonly declared?: undefined }> => {
  refuseProfileOf(given, "url");
  const headers = givenHeaders(given, terminal);
  const timeoutMs = timeoutMsOf(given);
  return openRemote(url, { http: serverUrl(url, "url").href }, { headers, timeoutMs });
};

/** KServe v2 JSON with the version that answered, if it is known; FP16 and BF16, which Triton does not send as JSON, are printed as numbers. */
const printJson = async (
  { name: model, versions }: ModelMetadata,
  outputs: NamedTensors,
): Promise<string> => {
  const { printJsonData } = await import("@tritype/protocol");
  const printed = [...outputs].map(([name, tensor]) => {
    const widened =
      tensor.dtype === "FP16" || tensor.dtype === "BF16"
        ? tensorOf("FP32", tensor.shape, valuesOf(tensor))
        : tensor;
    return `{"name":${JSON.stringify(name)},"datatype":"${tensor.dtype}","shape":${JSON.stringify(tensor.shape)},"data":${printJsonData(widened)}}`;
  });
  const version = answeringVersion(versions);
  const answered = version === undefined ? "" : `"model_version":${JSON.stringify(version)},`;
  return `{"model_name":${JSON.stringify(model)},${answered}"outputs":[${printed.join(",")}]}`;
};
