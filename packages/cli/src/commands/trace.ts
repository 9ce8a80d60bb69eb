import { openLocal } from "@tritype/endpoint";
import { createRecorder, traceLines } from "@tritype/inspector";
import { explainRefusal } from "@tritype/protocol";
import type { ExitCode, Given } from "../command.ts";
import { deviceOf } from "../project/device.ts";
import { profiledRepositoryOf } from "../project/repository-of.ts";
import { requestInputs, signatureOf } from "../request-inputs.ts";
import { chooseModel, valuesOfOptions } from "../request-options.ts";
import { noticeOf, type Terminal } from "../terminal.ts";

/** `pipeline trace [ensemble] [text…]`: one request, and what it did at every step. */
export const run = async (given: Given, terminal: Terminal): Promise<ExitCode> => {
  const device = deviceOf(given, "cpu");
  const folder = given.text("repository");
  const built = await profiledRepositoryOf(folder, given, terminal);
  if (built === undefined) return 1;
  const { repository, ensembles, configName } = built;
  const python = given.flag("python") ? "always" : "twin";
  const local = await openLocal("the project", {
    repository,
    device,
    configName,
    python,
    notice: noticeOf(terminal),
  });
  try {
    const models = folder === undefined ? ensembles : local.models;
    const { model, texts } = chooseModel("trace", given.positionals, models);
    const metadata = await local.metadata(model);
    const inputs = requestInputs(model, metadata.inputs, valuesOfOptions(given, metadata, texts));
    const recorder = createRecorder();
    let failure: unknown;
    try {
      for await (const { error } of local.runtime.stream(
        { model, id: "", inputs },
        undefined,
        undefined,
        recorder.trace,
      ))
        failure ??= error;
    } catch (error) {
      failure = error;
    }
    const recording = recorder.recording();
    if (given.flag("json")) terminal.out(JSON.stringify(recording, null, 2));
    else for (const line of traceLines(recording, terminal.colors)) terminal.out(line);
    if (failure !== undefined) throw explainRefusal(failure, model, signatureOf(model, metadata.inputs));
    return 0;
  } finally {
    await local.close();
  }
};
