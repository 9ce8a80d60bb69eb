import { messageOf, type NamedTensors } from "@tritype/core";
import type { RemoteEndpoint } from "@tritype/endpoint";
import { CandidateRefused, type Point, type Stand } from "@tritype/tune";
import type { ModelConfig } from "@tritype/triton";
import { cliError } from "../errors.ts";
import { sameAnswers, type SliceOptions, standAt } from "./server-lab.ts";

type Fields = Readonly<Record<string, unknown>>;

export interface UrlLabOptions extends SliceOptions {
  readonly http: string;
  readonly endpoint: RemoteEndpoint;
  /** The server's initial configurations, by model. */
  readonly configs: ReadonlyMap<string, ModelConfig>;
  /** Maps a model to the configuration fields that a point changes; undefined removes a field. */
  readonly changes: (point: Point) => Promise<ReadonlyMap<string, Fields>>;
  readonly requests: () => Promise<readonly NamedTensors[]>;
}

/**
 * Uses one server for all candidates: before each slice, models whose configuration differs are loaded with the candidate's, as
 * `config` in Triton's load request. Closing it reloads the models as they are in the server's repository.
 */
export const urlLab = (options: UrlLabOptions) => {
  const { http, endpoint, configs, model } = options;
  const answered = sameAnswers(options);
  /** Maps a model to its configuration as JSON, if it differs from the initial one. */
  let active = new Map<string, string>();
  const touched = new Set<string>();
  const load = async (name: string, config: string | undefined): Promise<void> => {
    touched.add(name);
    await loadModel(options, name, config);
  };
  const activate = async (wanted: ReadonlyMap<string, string>): Promise<void> => {
    for (const [name, config] of wanted) if (active.get(name) !== config) await load(name, config);
    for (const name of active.keys())
      if (!wanted.has(name)) await load(name, JSON.stringify(configs.get(name)));
    active = new Map(wanted);
  };
  return {
    open: async (point: Point): Promise<Stand> => {
      const wanted = new Map(
        [...(await options.changes(point))].map(([name, fields]) => [
          name,
          JSON.stringify({ ...configs.get(name), ...fields }),
        ]),
      );
      try {
        await activate(wanted);
      } catch (error) {
        // A model that failed to load is not served, so all models are restored.
        active = new Map([...touched].map((name) => [name, ""]));
        await activate(new Map());
        throw new CandidateRefused(messageOf(error), { cause: error });
      }
      const requests = await answered(endpoint, options.requests);
      const stand = standAt(http, endpoint, requests, options);
      return {
        measure: async (given) => {
          await activate(wanted);
          return await stand.measure(given);
        },
        close: async () => undefined,
      };
    },
    /** @throws PipelineError `request/unsupported` if the server does not load models on request. */
    probe: async (): Promise<void> => {
      try {
        await load(model, JSON.stringify(configs.get(model)));
      } catch (error) {
        throw cliError("tune/no-control", { url: http, why: messageOf(error) });
      }
    },
    close: async (): Promise<void> => {
      for (const name of touched) await loadModel(options, name, undefined).catch(() => undefined);
      await endpoint.close();
    },
  };
};

/** `POST /v2/repository/models/<model>/load` */
const loadModel = async (
  { http, headers }: Pick<UrlLabOptions, "http" | "headers">,
  model: string,
  config: string | undefined,
): Promise<void> => {
  const path = `v2/repository/models/${encodeURIComponent(model)}/load`;
  const body = JSON.stringify(config === undefined ? {} : { parameters: { config } });
  const response = await fetch(new URL(path, http.endsWith("/") ? http : `${http}/`), {
    method: "POST",
    body,
    ...(headers && { headers }),
    redirect: "manual",
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`\`${model}\` is not loaded: ${text.slice(0, 500)}`);
};
