/** Findings that a mistake necessarily hides, or that would disappear with it. */
export interface Dependence {
  /** The codes reported for the mistake. */
  readonly cause: RegExp;
  /** Codes that cannot be reported together with it. */
  readonly hides: RegExp;
  readonly why: string;
}

/** All pairs of codes that are not independent; everything else is reported in one run. */
export const dependences: readonly Dependence[] = [
  {
    cause:
      /^config\/(?:syntax|not-text|unknown-field|unknown-enum-value|given-twice|several-choices|field-too-new|too-large|missing|unreadable)$/,
    hides: /^/,
    why: "nothing is known of a configuration that cannot be read",
  },
  {
    cause: /^repository\//,
    hides: /^/,
    why: "nothing is known of a folder that cannot be read",
  },
  {
    cause: /^ensemble\/(?:platform|no-scheduling|no-step)$/,
    hides: /^(?:ensemble|config|cache|sequence|backend|instance|tensor)\//,
    why: "what is an ensemble, and its steps, is not known",
  },
  {
    cause:
      /^(?:backend\/(?:not-installed|none|unknown-platform|platform-mismatch|of-ensemble|runtime-not-found|runtime-escapes|python-runtime)|instance\/profile(?:-index)?|model-file\/missing-python|config\/folder-name)$/,
    hides: /^(?:backend|python|model-file|onnx-model|instance|tensor|ensemble|version)\//,
    why: "which backend is meant is not known, nor what it needs",
  },
  {
    cause: /^ensemble\/(?:missing-model|refused-model|circular|incomplete-step)$/,
    hides: /^ensemble\//,
    why: "nothing is held against a step whose model is not the one that is meant, or not known",
  },
  {
    cause:
      /^ensemble\/(?:unknown-port|unmapped-input|unused-input|unused-tensor|unwritten-output|written-twice|decoupled-join)$/,
    hides: /^ensemble\//,
    why: "a tensor under another name joins other steps",
  },
  {
    cause:
      /^tensor\/(?:no-name|no-datatype|no-dims|bad-dim|reshape-size|shape-tensor)$|^batch\/negative-size$/,
    hides:
      /^(?:ensemble|warmup)\/(?:dtype|shape|missing-inputs|batch-size|batch-of-one|shape-at-request|too-many-rows)$|^tensor\/(?:format-dims|empty-reshape)$/,
    why: "a tensor that is itself refused is not held against others",
  },
  {
    cause: /^version\/(?:none-available|empty-policy|ignored-folder)$/,
    hides: /^(?:model-file|onnx-model|python|version|batch|backend)\//,
    why: "files are those of the served versions",
  },
  {
    cause: /^ensemble\/(?:batch-size|shape|dtype)$/,
    hides: /^ensemble\/(?:batch-of-one|shape-at-request|too-many-rows)$/,
    why: "shapes that Triton refuses, or another batch, leave no request to look at",
  },
  {
    cause: /^python\/(?:syntax-error|no-model-class)$/,
    hides: /^(?:python|backend)\//,
    why: "a file that is not a model says nothing about it",
  },
  {
    cause: /^warmup\/short-file$/,
    hides: /^warmup\/missing-file$/,
    why: "a file that is there is not missing",
  },
  {
    cause: /^warmup\/skipped$/,
    hides: /^warmup\//,
    why: "a sample that never runs is not refused",
  },
];

/** The reason why a finding may be missing next to others. */
export const hiddenBy = (code: string, others: Iterable<string>): Dependence | undefined => {
  const causes = [...others];
  return dependences.find(({ cause, hides }) => hides.test(code) && causes.some((one) => cause.test(one)));
};
