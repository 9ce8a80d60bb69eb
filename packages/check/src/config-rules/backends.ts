import { didYouMean, inBackticks } from "@tritype/core";
import type { ModelContext } from "../model-context.ts";
import { torchAotiSince } from "../model/make-context.ts";
import { entryAt } from "../model/onnx-file.ts";
import { resolvePath } from "../model/resolve-path.ts";
import { servedVersions } from "../model/served-versions.ts";
import { modelRule, type Rule } from "../rule.ts";
import { meantBackend, usualBackends } from "./backend-names.ts";

/** The platforms for the backends that the core knows; other backends accept any platform. Source: core `model_config_utils.cc`. */
const platforms: ReadonlyMap<string, readonly string[]> = new Map([
  ["tensorrt", ["tensorrt_plan"]],
  ["onnxruntime", ["onnxruntime_onnx"]],
  ["pytorch", ["pytorch_libtorch", "torch_aoti"]],
  ["tensorflow", ["tensorflow_graphdef", "tensorflow_savedmodel"]],
]);

const unknownPlatform = modelRule(
  {
    code: "backend/unknown-platform",
    triton: ["24"],
    reason: "Only platforms that Triton knows imply a backend; all other models need the `backend` field.",
    words: "unexpected platform type '{platform}' for {model}",
    message: "`{model}` has no backend, and the platform `{platform}` implies none",
    help: 'write `backend: "…"` instead of `platform`',
  },
  ({ config, at }, report) => {
    const { platform = "", backend = "" } = config;
    if (backend !== "" || platform === "" || platform === "ensemble") return;
    const help = platformHelp(platform);
    report(at(["platform"], "not one of Triton's platforms"), { platform, help });
  },
);

const platformHelp = (platform: string): string => {
  const named = meantBackend(platform);
  const near = didYouMean(platform, [...usualBackends, "ensemble", ...[...platforms.values()].flat()]);
  const backend = named ?? (near === undefined || usualBackends.includes(near) ? near : undefined);
  if (backend === "tensorflow") return `write \`platform\` as ${inTicks(platforms.get(backend) ?? [])}`;
  return backend === undefined && near !== undefined
    ? `did you mean \`${near}\`?`
    : `write \`backend: "${backend ?? platform}"\``;
};

const inTicks = (names: readonly string[]): string => inBackticks(names, " or ");

const undetermined = modelRule(
  {
    code: "backend/none",
    triton: ["26"],
    reason:
      "Triton takes the backend from the configuration, from a known file in the model's first subfolder, or from the part of the model's name after the dot.",
    words: {
      unnamed:
        "Invalid model name: Could not determine backend for model '{model}' with no backend in model configuration. Expected model name of the form 'model.<backend_name>'.",
      file: "unexpected platform type '' for {model}",
    },
    message: "`{model}` does not say which backend runs it",
    help: 'write `backend: "…"`',
  },
  ({ config, options, list, at }, report) => {
    const { platform = "", backend = "", default_model_filename: file } = config;
    if (backend !== "" || platform !== "") return;
    if (
      options.configsOnly === true &&
      !config.ensemble_scheduling &&
      !list("")?.some(({ kind }) => kind === "folder")
    )
      return;
    const ensemble = config.ensemble_scheduling !== undefined;
    const label = ensemble
      ? at(["ensemble_scheduling"], "an ensemble needs `platform` too")
      : at(["name"], "no `backend` and no `platform`");
    report(label, {
      words: file ? "file" : "unnamed",
      help: ensemble ? 'write `platform: "ensemble"`' : undefined,
    });
  },
);

const ensembleBackend = modelRule(
  {
    code: "backend/of-ensemble",
    triton: ["25"],
    reason: "An ensemble does not run on a backend.",
    words: "Ensemble model '{model}' must have platform type 'ensemble' and empty backend type",
    message: "ensemble `{model}` has backend `{backend}`",
    help: "remove `backend`",
  },
  ({ config, at }, report) => {
    const { platform, backend = "" } = config;
    if (platform === "ensemble" && backend !== "")
      report(at(["backend"], "an ensemble has none"), { backend });
  },
);

const mismatch = modelRule(
  {
    code: "backend/platform-mismatch",
    triton: ["27", "28"],
    reason: "Triton's original backends only accept their own platforms.",
    words: "unexpected 'platform' and 'backend' pair, got:{platform}, {backend}",
    message: "backend `{backend}` of `{model}` does not match platform `{platform}`",
    help: "remove `platform`",
  },
  ({ config, options, at }, report) => {
    const { platform = "", backend = "" } = config;
    const all = platforms.get(backend);
    if (all === undefined || platform === "ensemble") return;
    const known =
      options.release.container < torchAotiSince ? all.filter((name) => name !== "torch_aoti") : all;
    if (known.includes(platform)) return;
    report(at(["platform"], `\`${backend}\` needs ${inTicks(known)}`), {
      backend,
      platform,
      help: backend === "tensorflow" ? `write \`platform\` as ${known.join(" or ")}` : undefined,
    });
  },
);

const pythonRuntime = modelRule(
  {
    code: "backend/python-runtime",
    triton: ["36"],
    atLoad: true,
    reason:
      '`runtime: "model.py"` is for backends that are written in Python; the python backend itself is not.',
    words: "unable to find Python backend based backend library '{runtime}' for model '{model}'",
    message: "the python backend has no runtime `model.py`",
    help: "remove `runtime`, which does not name the model's own file",
  },
  ({ config, at }, report) => {
    const { backend, runtime } = config;
    if (backend === "python" && runtime === "model.py")
      report(at(["runtime"], "a backend's file, not the model's"), { runtime });
  },
);

const runtimeEscapes = modelRule(
  {
    code: "backend/runtime-escapes",
    triton: ["34", "35"],
    atLoad: true,
    reason: "Triton only loads a runtime from the folder of the backend, the model or the version.",
    words: "backend library name '{runtime}' escapes backend directory",
    message: "runtime `{runtime}` of `{model}` is outside the backend's folder",
    help: "write a file name without a folder",
  },
  ({ name: model, config, at }, report) => {
    const { runtime = "", backend = "" } = config;
    if (resolvePath("", runtime) !== undefined) return;
    // A path may leave the folder (that of the backend, the model or a version) and return to it.
    const back = runtime.split("/").find((part) => part !== ".." && part !== "." && part !== "") ?? "";
    if ([backend, model].some((folder) => folder !== "" && back.startsWith(folder)) || /^\d+$/.test(back))
      return;
    report(at(["runtime"], "outside the folder"), { runtime });
  },
);

const pythonFile = modelRule(
  {
    code: "backend/python-file-name",
    triton: ["32"],
    atLoad: true,
    status: "Internal",
    reason:
      "The python backend only runs files whose names end in .py. It imports them as a module, with the name of the folder that they are in.",
    words: {
      ending: "Model name must end with '.py'. Model name is \"{name}\".",
      module: "ModuleNotFoundError: No module named {name}",
    },
    message: "the python backend cannot run `{file}` of `{model}`: {why}",
    help: "name a .py file in `default_model_filename`, without `.` in its folder or before `.py`",
  },
  (model, report) => {
    const { backend, default_model_filename: file = "" } = model.config;
    if (backend !== "python" || file === "") return;
    const fault = importFault(model, file);
    if (fault !== undefined)
      report(model.at(["default_model_filename"], fault.words === "ending" ? "no .py" : "not a module"), {
        file,
        ...fault,
      });
  },
);

/** Why Python cannot import a file as `<folder>.<stem>`. Measured with Triton 24.10. */
const importFault = (
  model: ModelContext,
  file: string,
): { readonly words: "ending" | "module"; readonly name: string; readonly why: string } | undefined => {
  const parts = `${servedVersions(model)[0] ?? "1"}/${file}`.split("/");
  const last = parts.pop() ?? "";
  if (!last.endsWith(".py")) return { words: "ending", name: last, why: "its name does not end in .py" };
  const folder = parts.findLast((part) => part !== "") ?? "";
  const stem = last.slice(0, -".py".length);
  const [first = ""] = stem.split(".");
  const module = (name: string, why: string) => ({ words: "module", name, why }) as const;
  if (folder === "." || folder === "..")
    return module("'.'", `Python cannot import a module from the folder \`${folder}\``);
  if (parts.at(-1) === "" || folder.includes("."))
    return module(
      `'${folder.split(".")[0]}'`,
      folder.includes(".") ? "its folder has a dot in its name" : "its path has an empty folder name",
    );
  if (stem === first) return undefined;
  const above = `'${folder}.${first}'`;
  const isFile = entryAt(model, [...parts, `${first}.py`].join("/"))?.kind === "file";
  return module(
    isFile ? `'${folder}.${stem}'; ${above} is not a package` : above,
    "its name has a dot before .py",
  );
};

export const backendRules: readonly Rule[] = [
  unknownPlatform,
  undetermined,
  ensembleBackend,
  mismatch,
  pythonRuntime,
  runtimeEscapes,
  pythonFile,
];
