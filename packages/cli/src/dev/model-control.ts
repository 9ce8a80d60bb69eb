import type { RuntimeOptions } from "@tritype/runtime";
import { type Given, usage } from "../command.ts";

/** Determines which models are served, and how that changes over time. */
export type ModelControlMode =
  /** Serves every new build and every change immediately. */
  | { readonly kind: "watch" }
  /** Serves the repository as it is at startup. */
  | { readonly kind: "none" }
  /** Polls the repository at an interval in seconds; 0 disables polling. */
  | { readonly kind: "poll"; readonly seconds: number }
  /** Loads models on request; at startup, loads the listed ones, or all of them for "*". */
  | { readonly kind: "explicit"; readonly load: readonly string[] };

/**
 * The options of `pipeline dev` that Triton also has, with the same meaning; without `--model-control-mode`, changes are watched.
 */
export const modelControlOf = (given: Given): ModelControlMode => {
  const written = given.text("model-control-mode");
  const mode = written?.toLowerCase();
  const load = given.texts("load-model");
  const seconds = given.integer("repository-poll-secs", [0, 2_000_000]) ?? 15;
  if (load.length > 0 && mode !== "explicit")
    throw usage(
      "--load-model needs --model-control-mode explicit",
      "add it, or leave out --load-model: without it, every model is loaded",
    );
  if (load.includes("*") && new Set(load).size > 1)
    throw usage("--load-model '*' already includes every model", "remove the other names");
  switch (mode) {
    case undefined:
      return { kind: given.flag("no-watch") ? "none" : "watch" };
    case "none":
      return { kind: "none" };
    case "poll":
      return { kind: "poll", seconds };
    case "explicit":
      return { kind: "explicit", load };
    default:
      throw usage(`--model-control-mode is ${written}`, "use none, poll or explicit");
  }
};

/** The corresponding options of the runtime. */
export const runtimeControl = (mode: ModelControlMode): NonNullable<RuntimeOptions["control"]> =>
  mode.kind === "explicit" ? mode : "repository";
