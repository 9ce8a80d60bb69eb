import { onnxFiles } from "../model/onnx-file.ts";
import { folderOf } from "../python/model-py/model-py.ts";
import { modelRule, type Rule } from "../rule.ts";

/** The locales that every system has; slim images have no others. */
const everywhere: ReadonlySet<string> = new Set(["c", "posix", "c.utf8", "c.utf-8"]);

export const missingLocale: Rule = modelRule(
  {
    code: "onnx-model/missing-locale",
    severity: "warning",
    judged: "source",
    message:
      "`{file}` of `{model}` changes the case of texts with the locale `{locale}`; a server without that locale cannot load it",
    help: "export it with `locale` C.UTF-8, which every image has, or install the locale in the server's image",
    reason:
      "ONNX Runtime opens the locale of a StringNormalizer when it loads the model, or en_US.UTF-8 if the node names none. Slim container images only have C, POSIX and C.UTF-8.",
  },
  (model, report) => {
    for (const { path, found } of onnxFiles(model)) {
      if (found.kind !== "graph") continue;
      for (const locale of new Set(found.graph.locales))
        if (!everywhere.has(locale.toLowerCase()))
          report(
            {
              span: { file: `${folderOf(model)}/${path}`, line: 1, column: 1 },
              text: "opens it when it is loaded",
            },
            { file: path, locale },
          );
    }
  },
);
