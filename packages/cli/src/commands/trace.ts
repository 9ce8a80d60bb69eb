import { createRecorder } from "@tritype/inspector";
import { explainRefusal } from "@tritype/protocol";
import { refuseSequences, servedConfigs } from "../bench/served-models.ts";
import type { ExitCode, Given } from "../command.ts";
import { openBuilt } from "../project/open-built.ts";
import { describeModel, requestInputs, signatureOf } from "../request-inputs.ts";
import { chooseModel, givenInputs, valuesOfOptions } from "../request-options.ts";
import type { Terminal } from "../terminal.ts";
import { traceLines } from "../trace/trace-lines.ts";

/** `pipeline trace [ensemble] [text…]`: sends one request, and prints what happened at every step. */
export const run = async (given: Given, terminal: Terminal): Promise<ExitCode> => {
  const written = givenInputs(given);
  const choose = (models: readonly string[]) => chooseModel("trace", given.positionals, models);
  const local = await openBuilt(given.text("repository"), given, terminal, choose);
  if (local === undefined) return 1;
  try {
    const { model, texts } = choose(local.models);
    const metadata = await describeModel(local, model);
    const values = valuesOfOptions(written, metadata, texts, local.accepted(model));
    const inputs = requestInputs(model, metadata.inputs, values);
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
    await recorder.settled();
    if (failure !== undefined)
      refuseSequences(await servedConfigs(local, model).catch(() => new Map()), model, "trace");
    const recording = recorder.recording();
    if (given.flag("json")) terminal.out(JSON.stringify(recording, null, 2));
    else for (const line of traceLines(recording, terminal.outColors)) terminal.out(line);
    if (failure !== undefined) throw explainRefusal(failure, model, signatureOf(model, metadata.inputs));
    return 0;
  } finally {
    await local.close();
  }
};
