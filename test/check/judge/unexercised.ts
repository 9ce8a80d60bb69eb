/** Rules that neither a generated repository nor a page can break, and why. */
export const unexercised: ReadonlyMap<string, string> = new Map([
  ["config/nameless-agent", "the judge's server is known: repository/agent-not-installed says it instead"],
  ["config/shell-characters", "release 24.10 never finishes loading such a model"],
  [
    "onnx-model/missing-external-data",
    "a stub does not open the model; packages/check holds it against ONNX Runtime",
  ],
  ["repository/broken-link", "a repository in memory has no links"],
  ["repository/unreadable", "a repository in memory can be read"],
  ["repository/unreadable-file", "a repository in memory can be read"],
]);
