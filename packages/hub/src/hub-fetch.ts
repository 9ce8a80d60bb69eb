import type { PipelineError } from "@tritype/core";
import { type Asked, reasonOf, refusal, request, Silence, unreachable } from "./hub-failure.ts";
import type { HubSettings } from "./hub-settings.ts";
import { hubError } from "./errors.ts";

export interface Patience {
  /** Tells the user in one line what the command is waiting for. */
  readonly notice: (line: string) => void;
  /** Resolves after this many milliseconds. */
  readonly wait: (ms: number) => Promise<void>;
  readonly timer: Timer;
}

/** Calls `run` after this many milliseconds, unless the returned function is called first. */
export type Timer = (ms: number, run: () => void) => () => void;

/** Like the global `fetch`, but returns only successful responses. */
export type HubFetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

/** Maximum number of attempts per request. */
export const tries = 5;
/** The longest wait that a server may request. */
const longestWaitMs = 120_000;
const busy: ReadonlySet<number> = new Set([429, 500, 502, 503, 504]);

/**
 * Sends a request to the hub; only the endpoint gets the token. If the hub is busy (`Retry-After` is respected) or the
 * connection fails, the request is sent again, up to five attempts in all. A 416 response is returned unchanged.
 * @throws PipelineError `hub/denied`, `hub/not-found`, `hub/unreachable`
 */
export const createHubFetch =
  (
    settings: HubSettings,
    repository: { readonly name: string; readonly revision: string },
    patience: Patience,
  ): HubFetch =>
  async (input, init = {}) => {
    const url = input instanceof Request ? input.url : String(input);
    const asked: Asked = {
      repository: repository.name,
      revision: repository.revision,
      endpoint: settings.endpoint,
      hasToken: settings.token !== undefined,
    };
    for (let attempt = 1; ; attempt++) {
      const response = await answered(
        url,
        withToken(url, init, settings),
        settings.idleMs,
        patience.timer,
      ).catch((error: unknown) => ({ error }));
      if ("error" in response) {
        if (!reasonOf(response.error).passing || attempt === tries) throw unreachable(url, response.error);
        await pause(backOff(attempt), reasonOf(response.error).what, attempt, patience);
        continue;
      }
      if (response.ok || response.status === 416) return response;
      await response.body?.cancel();
      if (!busy.has(response.status)) throw refusal(url, response, asked);
      const asks = retryAfterMs(response.headers.get("Retry-After"));
      if (attempt === tries || (asks ?? 0) > longestWaitMs) throw tooBusy(url, response, asks, settings);
      await pause(asks ?? backOff(attempt), `it answers ${response.status}`, attempt, patience);
    }
  };

/** Like `fetch`, for responses that are read as a whole: an incomplete one counts as failed and is requested again. */
export const wholeAnswers =
  (fetch: HubFetch, { idleMs }: HubSettings, patience: Patience): HubFetch =>
  async (input, init) => {
    for (let attempt = 1; ; attempt++) {
      const response = await fetch(input, init);
      try {
        const body = await within(idleMs, response.text(), patience.timer);
        return new Response(body, { status: response.status, headers: response.headers });
      } catch (error) {
        if (attempt === tries) throw unreachable(response.url, error);
        await pause(backOff(attempt), reasonOf(error).what, attempt, patience);
      }
    }
  };

/** Rejects with `Silence` if `work` takes longer than `ms`. */
export const within = async <T>(ms: number, work: Promise<T>, timer: Timer): Promise<T> => {
  let stop = (): void => undefined;
  try {
    return await Promise.race([
      work,
      new Promise<never>((_, reject) => {
        stop = timer(ms, () => reject(new Silence(`no data for ${ms / 1000} s`)));
      }),
    ]);
  } finally {
    stop();
  }
};

const answered = async (url: string, init: RequestInit, idleMs: number, timer: Timer): Promise<Response> => {
  const controller = new AbortController();
  try {
    return await within(idleMs, fetch(url, { ...init, signal: controller.signal }), timer);
  } catch (error) {
    controller.abort();
    throw error;
  }
};

/** `fetch` itself drops the header when a redirect leads to another origin. */
const withToken = (url: string, init: RequestInit, { endpoint, token }: HubSettings): RequestInit => {
  const headers = new Headers(init.headers);
  headers.set("User-Agent", "tritype");
  if (token !== undefined && new URL(url).origin === new URL(endpoint).origin)
    headers.set("Authorization", `Bearer ${token}`);
  return { ...init, headers };
};

const pause = async (ms: number, why: string, attempt: number, { notice, wait }: Patience): Promise<void> => {
  notice(`the hub: ${why}; trying again in ${Math.ceil(ms / 1000)} s (${attempt} of ${tries - 1})`);
  await wait(ms);
};

/** 1, 2, 4, 8 s. */
export const backOff = (attempt: number): number => 1000 * 2 ** (attempt - 1);

/** Seconds or a date (RFC 9110, section 10.2.3). */
const retryAfterMs = (text: string | null): number | undefined => {
  if (text === null) return undefined;
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
};

const tooBusy = (
  url: string,
  { status }: Response,
  asks: number | undefined,
  { token }: HubSettings,
): PipelineError =>
  hubError(
    "hub/unreachable",
    {
      what: `the hub ${status === 429 ? "accepts no more requests from this machine for now" : "is not working"}`,
      request: `${request(url)} answered ${status}${asks === undefined ? "" : ` and asks to wait ${Math.ceil(asks / 1000)} s`}`,
    },
    {
      help:
        status === 429 && token === undefined
          ? "run the command again later, or set HF_TOKEN: with a token, you may send more requests"
          : "run the command again later: a download continues where it stopped",
    },
  );
