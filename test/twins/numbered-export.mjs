import { decodeModel, encodeModel } from "@tritype/onnx";

/**
 * The classifier as exported for a profile that replaces TorchScript: tensors have the names that the backend `pytorch`
 * gives them, `INPUT__0` and `INPUT__1` in, `OUTPUT__0` out.
 */
export const numberedExport = (classifier) => {
  const { graph, ...rest } = decodeModel(classifier);
  const names = new Map([
    ...graph.input.map(({ name }, at) => [name, `INPUT__${at}`]),
    ...graph.output.map(({ name }, at) => [name, `OUTPUT__${at}`]),
  ]);
  const renamed = (name) => names.get(name) ?? name;
  const port = (value) => ({ ...value, name: renamed(value.name) });
  return encodeModel({
    ...rest,
    graph: {
      ...graph,
      input: graph.input.map(port),
      output: graph.output.map(port),
      node: graph.node.map((node) => ({
        ...node,
        input: node.input?.map(renamed) ?? [],
        output: node.output?.map(renamed) ?? [],
      })),
    },
  });
};
