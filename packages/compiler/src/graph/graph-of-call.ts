import type { Graph, InputNode, StepDefinition, StepNode } from "@tritype/core";

/** The graph for a request to the step itself: one call, with the step's inputs and outputs. */
export const graphOfCall = ({ name, inputs, outputs, site }: StepDefinition): Graph => {
  // As in a trace, the id of a node is its name, unless an input has that name.
  const id = Object.hasOwn(inputs, name) ? `${name}_` : name;
  const nodes = Object.entries(inputs).map(
    ([input, type]): InputNode => ({
      kind: "input",
      id: input,
      name: input,
      inputs: {},
      outputs: { [input]: type },
      site,
    }),
  );
  const call: StepNode = {
    kind: "step",
    id,
    step: name,
    inputs: Object.fromEntries(nodes.map(({ id: node }) => [node, { node, output: node }])),
    outputs,
    site,
  };
  return {
    nodes: [...nodes, call],
    outputs: Object.fromEntries(Object.keys(outputs).map((output) => [output, { node: id, output }])),
  };
};
