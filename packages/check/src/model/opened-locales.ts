import { decodeUtf8 } from "@tritype/core";
import type { GraphProto, NodeProto } from "@tritype/onnx";

/** ONNX Runtime's default on Linux if a node names no locale. */
const ofRuntime = "en_US.UTF-8";

/** The locales that ONNX Runtime opens for a graph while loading it, one for each node that needs one. */
export const openedLocales = (graph: GraphProto): readonly string[] =>
  (graph.node ?? []).flatMap((node) => [
    ...(node.opType === "StringNormalizer" && opensLocale(node) ? [localeOf(node)] : []),
    ...(node.attribute ?? []).flatMap(({ g, graphs = [] }) =>
      [...(g === undefined ? [] : [g]), ...graphs].flatMap(openedLocales),
    ),
  ]);

/** If nothing is compared case-insensitively and no case is changed, the locale is not opened. */
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
