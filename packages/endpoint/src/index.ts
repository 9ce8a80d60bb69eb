export {
  type Asked,
  type DeclaredTypes,
  type Misfit,
  misfitsOf,
  refuseMisfit,
  typesOf,
} from "./declared-types.ts";
export { type Endpoint, maxBatchSizeOf } from "./endpoint.ts";
export { type ListenedEndpoint, type LocalEndpoint, openListened, openLocal } from "./open-local.ts";
export { openRemote, openStreaming, type RemoteEndpoint } from "./open-remote.ts";
export { openTemporary } from "./open-temporary.ts";
export {
  openTriton,
  type OwnServer,
  type OwnTriton,
  startTriton,
  type TritonOptions,
} from "./start-triton.ts";
export { refuseUnserved, whyUnserved } from "./unserved.ts";
export { endpointErrors } from "./errors.ts";
