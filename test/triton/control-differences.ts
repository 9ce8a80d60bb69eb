/** A line of a transcript where the local server deliberately differs. */
export interface Difference {
  /** Number of the line in the sequence's transcript, from 0. */
  readonly line: number;
  /** Triton's line, and the local server's line. */
  readonly triton: string | RegExp;
  readonly local: string;
  readonly why: string;
}

const reason = (line: number, model: string, text: string): Difference => ({
  line,
  triton: /^index: .* READY$/,
  local: `index: ${model} READY ${text}`,
  why: "a model that serves its old version says why; Triton's index is silent, only its log knows",
});
const poisoned = (version: string): string =>
  `Internal: TritonModelException: poisoned\n\nAt:\n  <repository>/${version}/model.py(7): initialize\n`;

/** Differences by the title of the sequence. */
export const differences: Readonly<Record<string, readonly Difference[]>> = {
  "a model that is poisoned while it serves": [reason(2, "a 1", poisoned("a/1"))],
  "a version is poisoned while others serve": [reason(2, "a 1", poisoned("a/2"))],
  "a wrong configuration between two good ones": [
    reason(15, "a 1", "Internal: KeyError: 'amount'\n\nAt:\n  <repository>/a/1/model.py(15): initialize\n"),
  ],
  "a member that is poisoned": [reason(11, "b 1", poisoned("b/1"))],
  "files that are wrong": [
    reason(
      9,
      "a 1",
      "Invalid argument: at least one version must be available under the version policy of model 'a'",
    ),
  ],
  "a member that does not exist": [
    {
      line: 4,
      triton: /in ensemble e, .* model b/,
      local: "ensemble e contains models that are not available or ambiguous: b",
      why: "asked again, Triton takes the missing member for one without inputs",
    },
  ],
  "other files": [
    {
      line: 2,
      triton: "makes 105",
      local: "makes 205",
      why: "24.10 compares times, which files of a request do not have: it keeps the files of the request before",
    },
  ],
};
