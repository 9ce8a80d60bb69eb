import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { attempt } from "@tritype/core";
import { hubError } from "./errors.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** The hub's address, the token, and the cache folder. */
export interface HubSettings {
  /** URL without a trailing slash. */
  readonly endpoint: string;
  /** Only sent to the endpoint. */
  readonly token: string | undefined;
  /** Absolute path of a cache in the layout of Python's huggingface_hub. */
  readonly cache: string;
  /** Offline: only the cache is used. */
  readonly offline: boolean;
  /** A server that is silent for this long is considered gone. */
  readonly idleMs: number;
}

/**
 * The settings of Hugging Face's own tools, from their variables: `HF_ENDPOINT` (default https://huggingface.co),
 * `HF_TOKEN` or the token of `hf auth login`, `HF_HUB_CACHE` or `HF_HOME` (default ~/.cache/huggingface/hub),
 * `HF_HUB_OFFLINE`, `HF_HUB_DOWNLOAD_TIMEOUT` (seconds, default 30).
 * @throws PipelineError `usage/invalid` for an invalid variable.
 */
export const hubSettings = (env: Environment, home: string = homedir()): HubSettings => {
  const hfHome = env["HF_HOME"] || join(env["XDG_CACHE_HOME"] || join(home, ".cache"), "huggingface");
  return {
    endpoint: endpointOf(env["HF_ENDPOINT"] || "https://huggingface.co"),
    token: tokenOf(env, hfHome),
    cache: env["HF_HUB_CACHE"] || env["HUGGINGFACE_HUB_CACHE"] || join(hfHome, "hub"),
    offline: isOn(env["HF_HUB_OFFLINE"]),
    idleMs: secondsOf("HF_HUB_DOWNLOAD_TIMEOUT", env["HF_HUB_DOWNLOAD_TIMEOUT"] || "30") * 1000,
  };
};

const endpointOf = (text: string): string => {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) throw hubError("hub/endpoint", { text });
  if (url.username !== "" || url.password !== "") throw hubError("hub/endpoint-password", {});
  return `${url.origin}${url.pathname}`.replace(/\/+$/, "");
};

const tokenOf = (env: Environment, hfHome: string): string | undefined => {
  const given = (env["HF_TOKEN"] || env["HUGGING_FACE_HUB_TOKEN"])?.trim();
  if (given) {
    if (/^[\u0021-\u007E]+$/.test(given)) return given;
    throw hubError("hub/token", {});
  }
  if (isOn(env["HF_HUB_DISABLE_IMPLICIT_TOKEN"])) return undefined;
  return attempt(() => {
    const saved = readFileSync(env["HF_TOKEN_PATH"] || join(hfHome, "token"), "utf8").trim();
    return /^[\u0021-\u007E]+$/.test(saved) ? saved : undefined;
  });
};

const isOn = (text = ""): boolean => /^(?:1|true|yes|on)$/i.test(text);

const secondsOf = (variable: string, text: string): number => {
  const seconds = Number(text);
  if (seconds > 0 && seconds <= 86_400) return seconds;
  throw hubError("hub/seconds", { variable, value: text });
};
