import type { ServerMessage } from "./server-message.ts";
import { ofRule } from "./rule-words.ts";

const textCodes = [
  "config/syntax",
  "config/unknown-field",
  "config/unknown-enum-value",
  "config/given-twice",
  "config/several-choices",
  "config/not-text",
  "config/unreadable",
  "config/field-too-new",
];

/** Messages about the text of config.pbtxt, and about folders, names and versions. */
export const configMessages: readonly ServerMessage[] = [
  {
    says: "failed to read text proto from {path}",
    codes: textCodes,
    means: "`{path}` is not a valid configuration; this message does not say where the mistake is",
    why: "A configuration is protobuf text; one mistake makes all of it unreadable.",
    help: "run `pipeline check` on the repository: it reports the line and column; in Triton's log, they are in the preceding line, `[libprotobuf ERROR …]`",
  },
  {
    says: 'Error parsing text-format inference.ModelConfig: {line:n}:{column:n}: Message type "{message}" has no field named "{field}"',
    codes: ["config/unknown-field", "config/field-too-new"],
    means: "line {line}, column {column} of a config.pbtxt: the field `{field}` does not exist there",
    help: "check for a misspelling, a field at the wrong level, or a field from a later release: `pipeline check --target <release>` distinguishes them",
  },
  {
    says: 'Error parsing text-format inference.ModelConfig: {line:n}:{column:n}: Unknown enumeration value of "{value}" for field "{field}"',
    codes: ["config/unknown-enum-value"],
    means: "line {line}, column {column} of a config.pbtxt: `{value}` is not a value of `{field}`",
    help: "write the identifier in full and in capitals, such as TYPE_FP32 or KIND_CPU",
  },
  {
    says: 'Error parsing text-format inference.ModelConfig: {line:n}:{column:n}: Non-repeated field "{field}" is specified multiple times',
    codes: ["config/given-twice"],
    means: "line {line}, column {column} of a config.pbtxt: `{field}` is given twice",
  },
  {
    says: 'Error parsing text-format inference.ModelConfig: {line:n}:{column:n}: Field "{field}" is specified along with field "{other}"',
    codes: ["config/several-choices"],
    means: "line {line}, column {column} of a config.pbtxt: `{field}` and `{other}` are mutually exclusive",
  },
  {
    says: "Error parsing text-format inference.ModelConfig: {line:n}:{column:n}: {what:line}",
    codes: ["config/syntax"],
    means: "line {line}, column {column} of a config.pbtxt does not parse: {what}",
    help: "look for an extra comma, quote or brace, or a value of the wrong kind; `pipeline check` shows the place",
  },
  {
    says: "failed to open text file for read {folder}config.pbtxt: No such file or directory",
    codes: ["config/missing"],
    means: "`{folder}` has no config.pbtxt, and the server writes none (`--disable-auto-complete-config`)",
  },
  {
    ...ofRule("config/folder-name"),
    means: "folder `{folder}` has a configuration with the model name `{model}`",
    help: 'write `name: "{folder}"`, remove `name`, or rename the folder',
  },
  {
    says: "model configuration must specify 'name'",
    means: "the configuration has no name, and none could be taken from its folder",
    help: "write `name`, equal to the name of the folder",
  },
  {
    says: "invalid model name '{model}', model name must not contain path traversal characters",
    fixIn: "client",
    means: "`{model}` is not a valid model name",
    why: "A name with `/` or `..` would point outside the repository.",
    help: "use the name of a folder in the repository",
  },
  {
    says: "Model name cannot be empty",
    fixIn: "client",
    means: "the request names no model",
    help: "put the model's name into the URL or the call",
  },
  {
    ...ofRule("version/empty-policy"),
    codes: ["version/none-available", "version/empty-policy"],
    means: "model `{model}` has no version folder that its `version_policy` selects",
    help: "create a folder `1` in `{model}` with a file in it (git drops empty folders); `latest` in a version policy needs `num_versions`",
  },
  {
    says: "version {version:n} is specified for model '{model}', but the version directory is not present",
    codes: ["version/missing"],
    means: "the version policy of `{model}` requests version {version}, which has no folder",
    help: "add folder `{version}`, or remove {version} from the policy",
  },
  {
    says: "failed to poll model '{model}': not unique across all model repositories",
    codes: ["repository/duplicate-model"],
    fixIn: "server",
    means: "model `{model}` is in more than one of the server's repositories; none of them is served",
  },
  {
    says: "failed to load '{model}', failed to poll from model repository",
    means: "model `{model}` could not be read; only the server's log has the reason",
    why: "A load request only returns the reason for failures that occur after the configuration was read.",
    help: "look in the log for `Poll failed for model directory '{model}'`, or run `pipeline check` on the repository; a model without a folder gives the same message",
  },
  {
    ...ofRule("batch/negative-size"),
    means: "max_batch_size of `{model}` is below 0",
  },
  {
    says: "unable to find '{library}' for repo agent '{agent}'",
    codes: ["repository/agent-not-installed"],
    fixIn: "machine",
    means: "the server has no repository agent `{agent}`",
  },
  {
    says: "Invalid config override: {what:line}",
    fixIn: "client",
    means: "the `config` of a load request is not a valid configuration: {what}",
    why: "This configuration is JSON, not protobuf text, and unknown fields are errors too.",
    help: "send the configuration as JSON, in the form of `GET /v2/models/<model>/config`",
  },
  {
    says: "Unrecognized load parameter '{parameter}'",
    fixIn: "client",
    means: "a load request has the parameter `{parameter}`",
    help: "use only `config` and `file:<path>`",
  },
  {
    says: "unexpected error on creating Triton parameter",
    fixIn: "client",
    means: "a load request has an unknown parameter",
    help: "use only `config` and `file:<path>`",
  },
  {
    says: "Load parameter 'config' must be specified for model file override",
    fixIn: "client",
    means: "a load request contains files but no configuration",
    help: "send `config` together with `file:<path>`",
  },
  {
    says: "explicit model load / unload is not allowed if polling is enabled",
    fixIn: "server",
    means: "model control is disabled on this server",
    why: "Only a server in explicit mode loads and unloads models on request; the others load what is in the repository, at startup or by polling.",
    help: "start Triton with `--model-control-mode=explicit`, and name the models to load at startup with `--load-model`",
  },
  {
    says: "metric control must specify 'metric_identifier'",
    codes: ["config/incomplete-metric"],
    means: "a `metric_control` of `model_metrics` does not name its metric",
    help: 'write `metric_identifier { family: "…" }`',
  },
  {
    says: "metric identifier must specify non-empty 'family'",
    codes: ["config/incomplete-metric"],
    means: "a `metric_identifier` of `model_metrics` has no family",
    help: 'write `family: "nv_inference_first_response_histogram_ms"`, or another of Triton\'s histograms',
  },
  {
    says: "metric control must specify 'histogram_options'",
    codes: ["config/incomplete-metric"],
    means: "a `metric_control` of `model_metrics` has no `histogram_options`",
    help: "write `histogram_options { buckets: [ … ] }`",
  },
  {
    says: "histogram options must specify non-empty 'buckets'",
    codes: ["config/incomplete-metric"],
    means: "`histogram_options` of `model_metrics` has no buckets",
    help: "list the buckets' upper bounds",
  },
  {
    says: "Metric family '{family}' in 'metric_identifier' is not a customizable metric in Triton core",
    codes: ["config/metric-family"],
    means: "Triton has no metric `{family}` with configurable buckets; the setting is ignored",
    help: "name one of Triton's histograms, or remove the setting",
  },
];
