import type { ManifestTwin } from "@tritype/manifest";
import type { LoadedModel, ModelVersion } from "../backend.ts";
import { loadFunctionTwin } from "./function/function-twin.ts";
import { loadGenerateTwin } from "./generate/generate-twin.ts";
import type { ModelHost } from "../python/model-host.ts";
import { loadChainTwin } from "./chain-twin.ts";
import { loadCollateTwin } from "./collate-twin.ts";
import { loadDetokenizerTwin } from "./detokenizer-twin.ts";
import { loadNodeTwin } from "./node-twin.ts";
import { loadStreamTwin } from "./stream/stream-twin.ts";
import { loadTokenizerTwin } from "./tokenizer-twin.ts";

/** Loads one kind of twin. `options` are the manifest's, unchecked. */
type TwinLoader = (
  options: unknown,
  model: ModelVersion,
  notice: (text: string) => void,
  host: ModelHost | undefined,
) => Promise<LoadedModel | undefined>;

const loaders: ReadonlyMap<string, TwinLoader> = new Map<string, TwinLoader>([
  ["function", loadFunctionTwin],
  ["generate", loadGenerateTwin],
  ["generate-stream", (options, model) => loadStreamTwin(options, model)],
  ["node", loadNodeTwin],
  ["tokenizer", (options, model, notice) => loadTokenizerTwin(options, model, notice)],
  ["detokenizer", (options, model) => loadDetokenizerTwin(options, model)],
  ["collate", loadCollateTwin],
  [
    "chain",
    (options, model, notice, host) =>
      loadChainTwin(
        options,
        model,
        async ({ twin }, version) => await loaders.get(twin.kind)?.(twin.options, version, notice, host),
      ),
  ],
]);

/**
 * A model's native implementation. If this runtime has none of this kind, or none that is exact on this machine, it is
 * undefined, and the Python runs. The caller must check whether the hashes of the manifest still match.
 * @param notice Tells the user once if something runs differently than expected. Default: a warning of the process.
 * @param host The runtime that serves it, for twins that call other models; such a twin fails without one.
 * @throws PipelineError `repository/invalid` if the options or the model's files cannot be used.
 */
export const loadTwin = async (
  twin: ManifestTwin,
  model: ModelVersion,
  notice: (text: string) => void = warn,
  host?: ModelHost,
): Promise<LoadedModel | undefined> => loaders.get(twin.kind)?.(twin.options, model, notice, host);

const warn = (text: string): void => process.emitWarning(text);
