import { ClientError, type ContractDifference } from "./client-error.ts";
import {
  type Contract,
  isOpen,
  type Signature,
  showType,
  streamsOf,
  type TensorType,
  wireDims,
  wireType,
} from "./contract.ts";

/**
 * The error with every difference of a server's ensemble that would break a client: its requests are refused, or the answers do
 * not match its types. undefined if there is none.
 * @param wasRead Whether the known contract came from the server.
 * @param outputs The outputs that are read.
 */
export const contractProblem = (
  known: Contract,
  server: Contract,
  wasRead: boolean,
  outputs: readonly string[] = Object.keys(known.outputs),
): ClientError | undefined => {
  const differences = [
    ...compare("input", known.inputs, server.inputs),
    ...compare("output", known.outputs, server.outputs).filter(({ tensor }) => outputs.includes(tensor)),
  ];
  const lines = differences.map(
    ({ side, tensor, expected, got }) =>
      `${side} \`${tensor}\`: ${expected === undefined ? "unknown to this client" : `expected ${expected}`}, ${got === undefined ? "not on the server" : `the server has ${got}`}`,
  );
  const streams = streamsOf(server);
  if (streams !== undefined && streamsOf(known) === !streams)
    lines.push(streams ? "it streams" : "it answers a request once");
  if (lines.length === 0) return undefined;
  const [difference, help] = wasRead
    ? ["has changed", "call again"]
    : [
        "is not the one that this client was generated for",
        "regenerate the client, or serve the build that it came with",
      ];
  return new ClientError(
    "contract",
    [`the server's \`${known.name}\` ${difference}:`, ...lines.map((line) => `  ${line}`), help].join("\n"),
    { differences },
  );
};

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
  `${showType(wireType(type))}${type.optional === true ? " (optional)" : ""}`;

/** Whether everything of type `given` also has the type `wanted`. */
const accepts = (wanted: TensorType, given: TensorType): boolean => {
  const [want, give] = [wireDims(wanted.dims), wireDims(given.dims)];
  return (
    wanted.dtype === given.dtype &&
    want.length === give.length &&
    want.every((dim, axis) => isOpen(dim) || dim === give[axis])
  );
};
