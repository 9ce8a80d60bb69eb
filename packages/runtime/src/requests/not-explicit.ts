import { foreignError, type PipelineError } from "@tritype/core";

/** Triton's response to load and unload unless it runs with `--model-control-mode=explicit`. */
export const notExplicit = (): PipelineError =>
  foreignError("model/unavailable", "explicit model load / unload is not allowed if polling is enabled", {
    help: "serve with --model-control-mode explicit",
  });
