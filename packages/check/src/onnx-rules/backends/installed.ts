import { bringsBackend, misnamedBackend } from "../../config-rules/backend-names.ts";
import { modelRule, type Rule } from "../../rule.ts";

const backendMissing = modelRule(
  {
    code: "backend/not-installed",
    triton: ["33"],
    atLoad: true,
    words:
      "unable to find backend library for backend '{backend}', try specifying runtime on the model configuration.",
    message: "the server has no backend `{backend}` for `{model}`; it has {installed}",
    help: "install the backend, or use another one",
    reason:
      "Triton finds backends by name: `libtriton_<name>.so` in the backend directory, or in the model's folder.",
  },
  (model, report) => {
    const { backend = "", runtime = "" } = model.config;
    const { installed } = model.options;
    if (installed === undefined || backend === "" || runtime !== "") return;
    if (installed.backends.includes(backend) || bringsBackend(model)) return;
    if (misnamedBackend(model) !== undefined) return;
    report(model.at(["backend"], "here"), { backend, installed: installed.backends.join(", ") || "none" });
  },
);

const runtimeMissing = modelRule(
  {
    code: "backend/runtime-not-found",
    triton: ["34", "36"],
    atLoad: true,
    words: "unable to find {python}backend library '{runtime}' for model '{model}'",
    message: "the server has no runtime `{runtime}` for backend `{backend}` of `{model}`",
    help: "remove `runtime`",
    reason: "A runtime is a library in the model's folder or next to the backend's own.",
  },
  (model, report) => {
    const { backend = "", runtime = "" } = model.config;
    const { installed } = model.options;
    if (installed === undefined || backend === "" || runtime === "") return;
    const own = runtime === `libtriton_${backend}.so` && installed.backends.includes(backend);
    if (own || bringsBackend(model)) return;
    report(model.at(["runtime"], "here"), {
      runtime,
      backend,
      python: runtime === "model.py" ? "Python backend based " : "",
    });
  },
);

const strategyMissing = modelRule(
  {
    code: "batch/strategy-not-found",
    triton: ["78"],
    atLoad: true,
    words: "Batching library path not found: {path:line}",
    message: "the server has no batching library `{path}` for `{model}`",
    help: "write the absolute path of the library on the server's machine",
    reason: "When Triton loads the model, it opens exactly this path.",
  },
  (model, report) => {
    const key = "TRITON_BATCH_STRATEGY_PATH";
    const library = model.config.parameters?.[key]?.string_value ?? "";
    const { installed } = model.options;
    if (installed === undefined || library === "" || installed.libraries.includes(library)) return;
    report(model.at(["parameters", key], "here"), { path: library });
  },
);

const agentMissing = modelRule(
  {
    code: "repository/agent-not-installed",
    triton: ["159"],
    words: "unable to find 'libtritonrepoagent_{agent}.so' for repo agent '{agent}'",
    message: "the server has no repository agent `{agent}` for `{model}`",
    help: "install the agent, or remove it",
    reason: "Triton finds agents by name: `libtritonrepoagent_<name>.so` in the repository agent directory.",
  },
  (model, report) => {
    const { installed } = model.options;
    if (installed === undefined) return;
    (model.config.model_repository_agents?.agents ?? []).forEach(({ name: agent = "" }, index) => {
      if (!installed.repositoryAgents.includes(agent))
        report(model.at(["model_repository_agents", "agents", index, "name"], "here"), { agent });
    });
  },
);

/** Rules that depend on the server's machine; they are only checked if `installed` describes that machine. */
export const installedRules: readonly Rule[] = [
  backendMissing,
  runtimeMissing,
  strategyMissing,
  agentMissing,
];
