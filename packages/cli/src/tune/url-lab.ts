import { counted, inBackticks, messageOf, type NamedTensors } from "@tritype/core";
import type { RemoteEndpoint } from "@tritype/endpoint";
import { CandidateRefused, type Point, type Stand } from "@tritype/tune";
import type { ModelConfig } from "@tritype/triton";
import { cliError } from "../errors.ts";
import { fewWarm, sameAnswers, type SliceOptions, standAt } from "./server-lab.ts";

type Fields = Readonly<Record<string, unknown>>;

export interface UrlLabOptions extends SliceOptions {
  readonly http: string;
  readonly endpoint: RemoteEndpoint;
  /** The server's initial configurations, by model. */
  readonly configs: ReadonlyMap<string, ModelConfig>;
  /** Maps a model to the configuration fields that a point changes; undefined removes a field. */
  readonly changes: (point: Point) => Promise<ReadonlyMap<string, Fields>>;
  readonly requests: () => Promise<readonly NamedTensors[]>;
  readonly notice: (text: string) => void;
}

/**
 * Uses one server for all candidates: before each slice, models whose configuration differs are loaded with the candidate's, as
 * `config` in Triton's load request. Until it is closed, responses are not cached, because a load test repeats its requests. Closing it loads the
 * models with their initial configurations: after a load with a configuration, Triton keeps it in a load without one, as long as the
 * model's files do not change (measured on 24.10).
 */
export const urlLab = (options: UrlLabOptions) => {
  const { http, endpoint, configs, model, signal, notice } = options;
  const answered = sameAnswers(options);
  /** Maps a model to its configuration as JSON, if it differs from the initial one. */
  let active = new Map<string, string>();
  const touched = new Set<string>();
  let { mostWarm } = options;
  const load = async (name: string, config: string): Promise<void> => {
    touched.add(name);
    await loadModel(options, name, config);
  };
  const reset = (name: string): Promise<void> => load(name, JSON.stringify(configs.get(name)));
  const activate = async (wanted: ReadonlyMap<string, string>): Promise<void> => {
    for (const [name, config] of wanted) if (active.get(name) !== config) await load(name, config);
    for (const name of active.keys()) if (!wanted.has(name)) await reset(name);
    active = new Map(wanted);
  };
  const cached = [...configs].flatMap(([name, config]) =>
    config.response_cache?.enable === true ? [name] : [],
  );
  if (cached.length > 0) notice(`responses of ${inBackticks(cached)} are not cached while they are measured`);
  const wantedAt = async (point: Point): Promise<ReadonlyMap<string, string>> => {
    const fields = new Map([...cached.map((name) => [name, {}] as const), ...(await options.changes(point))]);
    return new Map(
      [...fields].map(([name, changed]) => [
        name,
        JSON.stringify({ ...configs.get(name), ...changed, response_cache: undefined }),
      ]),
    );
  };
  /** A failure is attributed to the candidate, unless the server no longer answers. */
  const orLost = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      if (signal.aborted || (await endpoint.client.live())) throw error;
      throw cliError("tune/server-lost", { url: http, why: messageOf(error) });
    }
  };
  return {
    open: async (point: Point): Promise<Stand> => {
      const wanted = await wantedAt(point);
      const requests = await orLost(async () => {
        try {
          await activate(wanted);
        } catch (error) {
          // A model that failed to load is not served, so all models are restored.
          active = new Map([...touched].map((name) => [name, ""]));
          await activate(new Map());
          throw error;
        }
        return await answered.requests(endpoint, options.requests);
      });
      const stand = standAt(http, endpoint, requests, { ...options, mostWarm });
      mostWarm = fewWarm;
      return {
        measure: (...given) =>
          orLost(async () => {
            await activate(wanted);
            const slice = await stand.measure(...given);
            const { failed } = slice;
            if (failed === undefined) return slice;
            throw new CandidateRefused(`${counted(failed.count, "request")} failed: ${failed.message}`);
          }),
        close: async () => undefined,
      };
    },
    /** @throws PipelineError `request/unsupported` if the server does not load models on request. */
    probe: async (): Promise<void> => {
      try {
        await reset(model);
      } catch (error) {
        throw cliError("tune/no-control", { url: http, why: messageOf(error) });
      }
    },
    close: async (): Promise<void> => {
      const left: string[] = [];
      for (const name of touched) await reset(name).catch(() => left.push(name));
      if (left.length > 0)
        notice(
          `${inBackticks(left)} may still have a candidate's settings: restart ${http}, or load each model again`,
        );
      await endpoint.close();
    },
  };
};

/** `POST /v2/repository/models/<model>/load`. @throws CandidateRefused if the server does not load it */
const loadModel = async (
  { http, headers }: Pick<UrlLabOptions, "http" | "headers">,
  model: string,
  config: string,
): Promise<void> => {
  const path = `v2/repository/models/${encodeURIComponent(model)}/load`;
  const body = JSON.stringify({ parameters: { config } });
  const loading = fetch(new URL(path, http.endsWith("/") ? http : `${http}/`), {
    method: "POST",
    body,
    ...(headers && { headers }),
    redirect: "manual",
  }).then(async (response) => (response.ok ? undefined : (await response.text()).slice(0, 500)));
  const why = await loading.catch((error: unknown) => messageOf((error as Error).cause ?? error));
  if (why !== undefined) throw new CandidateRefused(`\`${model}\` is not loaded: ${why}`);
};
