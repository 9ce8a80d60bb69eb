import { decodeUtf8 } from "@tritype/core";
import { decodeModel, type GraphProto, type NodeProto } from "@tritype/onnx";
import { onnxBytes, onnxFiles } from "../onnx-rules/onnx-file.ts";
import { folderOf } from "../python/model-py.ts";
import { modelRule, type Rule } from "../rule.ts";

/** Every system has these; slim images have no others. */
const everywhere: ReadonlySet<string> = new Set(["c", "posix", "c.utf8", "c.utf-8"]);
/** What ONNX Runtime takes on Linux where a node names none. */
const ofRuntime = "en_US.UTF-8";

export const missingLocale: Rule = modelRule(
  {
    code: "onnx-model/missing-locale",
    triton: [],
    severity: "warning",
    judged: "source",
    message:
      "`{file}` of `{model}` changes the case of texts in the locale `{locale}`; a server without that locale does not load it",
    help: "export it with `locale` C.UTF-8, which every image has, or install the locale in the server's image",
    reason:
      "ONNX Runtime opens the locale of a StringNormalizer when it loads the model, and where the node names none it opens en_US.UTF-8. Slim container images have C, POSIX and C.UTF-8 only.",
  },
  (model, report) => {
    for (const { path, found } of onnxFiles(model)) {
      if (found.kind !== "graph") continue;
      const bytes = onnxBytes(model, path);
      const locales = localesOf((bytes && decodeModel(bytes).graph) ?? {});
      for (const locale of new Set(locales))
        if (!everywhere.has(locale.toLowerCase()))
          report({
            with: { model: model.name, file: path, locale },
            labels: [
              {
                span: { file: `${folderOf(model)}/${path}`, line: 1, column: 1 },
                text: "opens it when it is loaded",
              },
            ],
          });
    }
  },
);

const localesOf = (graph: GraphProto): readonly string[] =>
  (graph.node ?? []).flatMap((node) => [
    ...(node.opType === "StringNormalizer" && opensLocale(node) ? [localeOf(node)] : []),
    ...(node.attribute ?? []).flatMap(({ g, graphs = [] }) =>
      [...(g === undefined ? [] : [g]), ...graphs].flatMap(localesOf),
    ),
  ]);

/** Where nothing is compared or changed without regard to case, the locale is not opened. */
const opensLocale = (node: NodeProto): boolean => {
  const action = textOf(node, "case_change_action") ?? "NONE";
  const stopwords = attribute(node, "stopwords")?.strings ?? [];
  return (
    action !== "NONE" || (stopwords.length > 0 && Number(attribute(node, "is_case_sensitive")?.i ?? 0) === 0)
  );
};

const localeOf = (node: NodeProto): string => textOf(node, "locale") ?? ofRuntime;

const attribute = (node: NodeProto, name: string) => (node.attribute ?? []).find((one) => one.name === name);

const textOf = (node: NodeProto, name: string): string | undefined => {
  const value = attribute(node, name)?.s;
  return value === undefined ? undefined : decodeUtf8(value);
};
