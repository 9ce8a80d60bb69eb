import { releaseOf } from "@tritype/triton";
import { newest, nothing, plain, type RuleCase, usual } from "./rule-case.fixture.ts";

/** A tensor whose values are in another file. */
export const externalTensor = (location: string) => ({
  name: "w",
  dataType: 1,
  dims: [1],
  dataLocation: 1,
  externalData: [{ key: "location", value: location }],
});

const graphWith = (location: string) => ({ ...plain, graph: { initializer: [externalTensor(location)] } });
const inCache = { "1": "/repository/m/1", "1/model.onnx": "/hub/blobs/a", "1/w.bin": "/hub/blobs/b" };

type Place = Pick<RuleCase, "links" | "message"> & { readonly location: string };

const ways: readonly Place[] = [
  {
    location: "../../../secret/w.bin",
    message:
      "the weights of `1/model.onnx` of `m` are in `../../../secret/w.bin`, which is outside of its folder",
  },
  {
    location: "../w.bin",
    message: "the weights of `1/model.onnx` of `m` are in `../w.bin`, which is outside of its folder",
  },
  {
    location: "/srv/w.bin",
    message: "the weights of `1/model.onnx` of `m` are in `/srv/w.bin`, which is an absolute path",
  },
  {
    location: "w.bin",
    links: {
      "1": "/repository/m/1",
      "1/model.onnx": "/repository/m/1/model.onnx",
      "1/w.bin": "/secret/w.bin",
    },
    message: "the weights of `1/model.onnx` of `m` are in `w.bin`, a link that leads out of its folder",
  },
  { location: "w.bin", links: inCache },
  { location: "w.bin", links: { "1": "/elsewhere/1", "1/w.bin": "/elsewhere/1/w.bin" } },
  { location: "sub/../w.bin" },
  { location: "w.bin", links: {} },
];

const release = (container: string) => releaseOf(container) ?? newest;

/** Weights outside of the folder of the file that names them. */
export const outsideCases: readonly RuleCase[] = [
  ...ways.flatMap(({ location, ...rest }) =>
    [
      { code: "onnx-model/external-data-outside", options: { release: newest } },
      { code: "onnx-model/external-data-refused-later" },
    ].map((rule) => ({
      ...rule,
      config: usual,
      graph: graphWith(location),
      files: { "1/w.bin": nothing },
      ...rest,
    })),
  ),
  {
    code: "onnx-model/external-data-outside",
    config: usual,
    graph: graphWith("w.bin"),
    files: { "1/w.bin": nothing },
    links: inCache,
    options: { release: release("26.02") },
    message: "the weights of `1/model.onnx` of `m` are in `w.bin`, a link that leads out of its folder",
  },
];
