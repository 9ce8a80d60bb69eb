import { folderOf } from "../python/model-py/model-py.ts";
import type { Entry } from "../repository-host.ts";
import { modelRule, type Rule } from "../rule.ts";

export const misnamedConfig: Rule = modelRule(
  {
    code: "config/misnamed-file",
    reason:
      "Triton only reads `config.pbtxt` in the model's folder; without that file it silently guesses from the model's files.",
    message: "Triton does not read `{file}` of `{model}`, which has no `config.pbtxt`",
    help: "rename it to `config.pbtxt`",
  },
  (model, report) => {
    if (model.hasConfig) return;
    for (const file of misnamedConfigs(model.list))
      report(
        { span: { file: `${folderOf(model)}/${file}`, line: 1, column: 1 }, text: "is not read" },
        {
          file,
          help: /ya?ml$/i.test(file)
            ? "write it as `config.pbtxt`, in protobuf text"
            : file.includes("/")
              ? "move it into the model's folder"
              : undefined,
        },
      );
  },
);

/** Files in a model's folder that may have been intended as its config.pbtxt. */
export const misnamedConfigs = (list: (folder: string) => readonly Entry[] | undefined): readonly string[] =>
  (list("") ?? []).flatMap(({ name, kind }) => {
    if (kind === "folder" && /^\d+$/.test(name))
      return (list(name) ?? []).some((entry) => entry.name === "config.pbtxt" && entry.kind === "file")
        ? [`${name}/config.pbtxt`]
        : [];
    return kind === "file" && similar.test(name) ? [name] : [];
  });

/** Excludes `config.json`, which many models have for other reasons. */
const similar = /^configs?\.(?:pb[a-z]*|prototxt|textproto|ya?ml|txt)(?:\.[a-z0-9]+)?$|^config_?pbtxt$/i;
