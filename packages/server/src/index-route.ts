import { PipelineError } from "@tritype/core";
import { type Answer, jsonAnswer } from "./answer.ts";
import { readBody } from "./read-body.ts";
import { repositoryIndex } from "./repository-index.ts";
import type { RouteContext } from "./route-context.ts";

/** `POST /v2/repository/index`, with `{"ready": true}` for the models that answer. */
export const indexRoute = async ({ runtime, request, maxBodyBytes }: RouteContext): Promise<Answer> => {
  const body = await readBody(request, maxBodyBytes);
  return jsonAnswer(repositoryIndex(runtime, body.byteLength > 0 && onlyReady(body)));
};

const onlyReady = (body: Uint8Array): boolean => {
  let json: unknown;
  try {
    json = JSON.parse(new TextDecoder().decode(body));
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    throw new PipelineError("request/malformed", `failed to parse the request JSON buffer: ${text}`);
  }
  const { ready = false } = (json ?? {}) as { readonly ready?: unknown };
  if (typeof ready === "boolean") return ready;
  throw new PipelineError(
    "request/malformed",
    "Unable to parse 'ready': attempt to access JSON non-boolean as boolean",
  );
};
