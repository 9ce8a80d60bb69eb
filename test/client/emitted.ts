import { pathToFileURL } from "node:url";
import type { InferInputs, InferOutputs } from "tritype";
import type { Client, HttpOptions } from "tritype/client";
import type { GrpcOptions } from "tritype/client/grpc";
import type { embed } from "../../examples/sentence-embedding/pipeline.ts";
import type { ProjectFixture } from "../fixtures/project.ts";

/** A client of the example's ensemble. */
export type EmbedClient = Client<InferInputs<typeof embed>, InferOutputs<typeof embed>>;
/** The ensemble for which a client was made, over either transport. */
export interface EmbedContract {
  readonly name: string;
  readonly hash: string;
  readonly inputs: object;
  readonly outputs: object;
}

interface Emitted {
  readonly embedContract: EmbedContract;
  readonly embedClient: (options: HttpOptions) => EmbedClient;
  readonly createHttpClient: (options: HttpOptions & { readonly ensemble: EmbedContract }) => EmbedClient;
  readonly createGrpcClient: (options: GrpcOptions & { readonly ensemble: EmbedContract }) => EmbedClient;
}

/** The module that a user imports from `build/client`, loaded unchanged by Node. */
export const importEmitted = async (project: ProjectFixture): Promise<Emitted> => {
  const modules = ["embed.js", "core/kserve.js", "core/grpc.js"].map(
    (path) => import(/* @vite-ignore */ pathToFileURL(project.path(`build/client/${path}`)).href),
  );
  return Object.assign({}, ...(await Promise.all(modules))) as Emitted;
};
