import { foreignError } from "@tritype/core";
import { checkCudaRegionRequest, readRegionRequest } from "@tritype/protocol";
import { type Answer, emptyAnswer, jsonAnswer } from "../answer.ts";
import { readMessage } from "../read-body.ts";
import type { RouteContext } from "../route-context.ts";
import { cudaStatus, refuseCuda } from "./cuda-regions.ts";

/** `GET /v2/systemsharedmemory[/region/<name>]/status` */
export const systemStatusRoute = ({ extensions }: RouteContext, name: string): Answer =>
  jsonAnswer(extensions.regions.status(name));

/** `POST /v2/systemsharedmemory/region/<name>/register` */
export const registerSystemRoute = async (context: RouteContext, name: string): Promise<Answer> => {
  requireName(name, "system");
  const { key, offset, byteSize } = await readMessage(context, readRegionRequest);
  await context.extensions.regions.register(name, key, offset, byteSize);
  return emptyAnswer;
};

/** `POST /v2/systemsharedmemory[/region/<name>]/unregister` */
export const unregisterSystemRoute = async ({ extensions }: RouteContext, name: string): Promise<Answer> => {
  await extensions.regions.unregister(name);
  return emptyAnswer;
};

/** `GET /v2/cudasharedmemory[/region/<name>]/status` */
export const cudaStatusRoute = ({ extensions }: RouteContext, name: string): Answer =>
  jsonAnswer(cudaStatus(extensions.regions, name));

/** `POST /v2/cudasharedmemory/region/<name>/register` */
export const registerCudaRoute = async (context: RouteContext, name: string): Promise<Answer> => {
  requireName(name, "cuda");
  await readMessage(context, checkCudaRegionRequest);
  return refuseCuda(name);
};

/** `POST /v2/cudasharedmemory[/region/<name>]/unregister`: there are no regions, but clients call this as a precaution. */
export const unregisterCudaRoute = (): Answer => emptyAnswer;

const requireName = (name: string, kind: string): void => {
  if (name === "")
    throw foreignError(
      "request/invalid",
      `'region name' is necessary to register ${kind} shared memory region`,
    );
};
