import { PipelineError } from "@tritype/core";
import { parseJson } from "@tritype/protocol";
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
  const { ready = false } = Object(parseJson(body)) as { readonly ready?: unknown };
  if (typeof ready === "boolean") return ready;
  throw new PipelineError("request/malformed", "attempt to access JSON non-boolean as boolean");
};
