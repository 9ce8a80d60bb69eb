import { type Diagnose, defineDiagnostics } from "@tritype/core";

/** Problems that keep a repository or a configuration from being read at all; found before any rule runs. */
export const readingEntries = {
  "repository/unreadable": {
    code: "repository/unreadable",
    judged: "live",
    reason: "Triton cannot list the folder, so it loads nothing from it.",
    message: "cannot list {folder}",
    help: "check that it is a folder with the right permissions, and that its path contains no broken link",
  },
  "repository/broken-link": {
    code: "repository/broken-link",
    judged: "live",
    reason:
      "Triton reads every entry in a model repository and in a model's folder, and stops at a link that it cannot follow.",
    message: "`{name}` in {folder} is neither a file nor a folder",
    help: "remove it, or point the link at something that exists",
  },
  "repository/duplicate-model": {
    code: "repository/duplicate-model",
    triton: ["22"],
    reason: "If two repositories have a model of the same name, Triton serves neither.",
    message: "model `{name}` is in more than one repository",
    help: "rename one of them, both its folder and its `name`",
  },
  "config/missing": {
    code: "config/missing",
    triton: ["10"],
    reason: "Without auto-complete, Triton needs a config.pbtxt in every model's folder.",
    message: "model `{name}` has no config.pbtxt",
    help: "write one, or start Triton without --disable-auto-complete-config",
  },
  "config/unreadable": {
    code: "config/unreadable",
    triton: ["1"],
    reason: "If the file is unreadable, its model fails; a folder in its place crashes the whole server.",
    message: "cannot read the configuration of model `{name}`",
    help: "make it a file that Triton can read",
  },
  "config/too-large": {
    code: "config/too-large",
    severity: "error",
    reason: "A configuration of several megabytes must be the wrong file, and reading it would take minutes.",
    message: "the configuration has more than {limit} bytes",
    help: "check whether a model or data file was saved in its place",
  },
  "config/not-text": {
    code: "config/not-text",
    triton: ["1"],
    reason: "A configuration is protobuf text in UTF-8; binary files and other encodings do not parse.",
    message: "the configuration is not text: {what}",
    help: "save it as UTF-8 without a byte order mark",
  },
  "config/syntax": {
    code: "config/syntax",
    triton: ["1", "7", "8", "9"],
    reason: "A configuration is protobuf text; if it does not parse, Triton does not report the line.",
    message: "the configuration does not parse: {what}",
  },
  "config/unknown-field": {
    code: "config/unknown-field",
    triton: ["2"],
    reason: "A single unknown field makes the whole configuration unreadable.",
    message: "{message} has no field `{field}`",
  },
  "config/field-too-new": {
    code: "config/field-too-new",
    triton: ["2"],
    reason:
      "An older release does not know a newer release's field, which makes the configuration unreadable.",
    message: "unknown field `{field}`: {message} has had it since {since}, but the target is {release}",
    help: "remove it, or target {since}",
  },
  "config/unknown-enum-value": {
    code: "config/unknown-enum-value",
    triton: ["3"],
    reason: "Write identifiers in full and in capitals: TYPE_FP32, not FP32 or type_fp32.",
    message: "`{value}` is not a value of `{field}`",
  },
  "config/given-twice": {
    code: "config/given-twice",
    triton: ["5"],
    reason:
      "A single-valued field may occur only once; a second occurrence makes the configuration unreadable.",
    message: "`{field}` is given twice",
    help: "keep one of them",
  },
  "config/several-choices": {
    code: "config/several-choices",
    triton: ["6", "128"],
    reason: "These fields are mutually exclusive: a model has one scheduler and one version policy.",
    message: "more than one of {members}",
    help: "keep one of them",
  },
} as const;

export const diagnoseReading: Diagnose<typeof readingEntries> = defineDiagnostics(readingEntries);
