import { ClientError, type ContractDifference } from "./client-error.ts";
import { type Contract, isOpen, type Signature, showType, type TensorType, wireDims } from "./contract.ts";

/**
 * Every difference of a server's ensemble that would break a client: its requests are refused, or the answers do not match its
 * types.
 */
export const compareContracts = (own: Contract, server: Contract): readonly ContractDifference[] => [
  ...compare("input", own.inputs, server.inputs),
  ...compare("output", own.outputs, server.outputs),
];

/** The error that lists the differences. */
export const contractError = (name: string, differences: readonly ContractDifference[]): ClientError =>
  new ClientError(
    "contract",
    [
      `the server's \`${name}\` is not the one that this client was generated for:`,
      ...differences.map(
        ({ side, tensor, expected, got }) =>
          `  ${side} \`${tensor}\`: ${expected === undefined ? "unknown to this client" : `expected ${expected}`}, ${got === undefined ? "not on the server" : `the server has ${got}`}`,
      ),
      "regenerate the client from the pipeline that the server serves, or serve the build that this client came with",
    ].join("\n"),
    { differences },
  );

/** The error if only one of the two ensembles streams. */
export const streamingError = (name: string, serverStreams: boolean): ClientError =>
  new ClientError(
    "contract",
    serverStreams
      ? `the server's \`${name}\` streams, but this client was generated for one that answers a request once`
      : `the server's \`${name}\` answers a request once, but this client was generated for one that streams`,
  );

const compare = (
  side: "input" | "output",
  own: Signature,
  server: Signature,
): readonly ContractDifference[] => [
  ...Object.entries(own).flatMap(([tensor, type]) => {
    const theirs = Object.hasOwn(server, tensor) ? server[tensor] : undefined;
    const fits = theirs !== undefined && (side === "input" ? accepts(theirs, type) : accepts(type, theirs));
    const required = side === "input" && type.optional === true && theirs?.optional !== true;
    return fits && !required
      ? []
      : [{ side, tensor, expected: show(type), got: theirs === undefined ? undefined : show(theirs) }];
  }),
  ...Object.entries(server).flatMap(([tensor, type]) =>
    // New outputs and optional inputs do not break a client.
    side === "output" || Object.hasOwn(own, tensor) || type.optional === true
      ? []
      : [{ side, tensor, expected: undefined, got: show(type) }],
  ),
];

const show = (type: TensorType): string =>
  `${showType({ ...type, dims: wireDims(type.dims) })}${type.optional === true ? " (optional)" : ""}`;

/** Whether everything of type `given` also has the type `wanted`. */
const accepts = (wanted: TensorType, given: TensorType): boolean => {
  const [want, give] = [wireDims(wanted.dims), wireDims(given.dims)];
  return (
    wanted.dtype === given.dtype &&
    want.length === give.length &&
    want.every((dim, axis) => isOpen(dim) || dim === give[axis])
  );
};
