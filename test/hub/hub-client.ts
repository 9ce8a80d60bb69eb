import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PipelineError } from "@tritype/core";
import { type Hub, type HubOptions, hubSettings, openHub } from "@tritype/hub";
import { onTestFinished } from "vitest";
import type { HubServer } from "./hub-server.ts";

/** The test's own folder. */
export const freshFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), "tritype-hub-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
};

export interface Client {
  readonly hub: Hub;
  readonly cache: string;
  readonly notices: string[];
  /** The duration of every wait in milliseconds; the tests do not actually wait. */
  readonly waits: number[];
}

/** A hub client for the server with its own cache; waits take no time. */
export const clientOf = (
  server: Pick<HubServer, "url">,
  env: Readonly<Record<string, string>> = {},
  more: Pick<HubOptions, "timer"> = {},
): Client => {
  const cache = env["HF_HUB_CACHE"] ?? join(freshFolder(), "hub");
  const notices: string[] = [];
  const waits: number[] = [];
  const settings = hubSettings({ HF_ENDPOINT: server.url, HF_HUB_CACHE: cache, ...env }, freshFolder());
  return {
    cache,
    notices,
    waits,
    hub: openHub({
      settings,
      notice: (line) => void notices.push(line),
      wait: async (ms) => void waits.push(ms),
      ...more,
    }),
  };
};

/** How a call failed: code, message and help as shown in the terminal; ports and commits replaced. */
export const failureOf = async (work: Promise<unknown>): Promise<string> => {
  try {
    await work;
  } catch (error) {
    if (!PipelineError.is(error)) throw error;
    return `error[${error.code}]: ${error.message}\n  = help: ${error.help}`
      .replaceAll(/(127\.0\.0\.1|localhost):\d+/g, "$1:<port>")
      .replaceAll(/\b[0-9a-f]{40}\b/g, "<commit>");
  }
  throw new Error("it did not fail");
};
