import { cliErrors } from "@tritype/cli";
import { clientErrors } from "@tritype/client";
import { type ErrorEntry, generalErrors } from "@tritype/core";
import { dslErrors } from "@tritype/dsl";
import { endpointErrors } from "@tritype/endpoint";
import { hubErrors } from "@tritype/hub";
import { inProcessErrors } from "@tritype/in-process";
import { inspectorErrors } from "@tritype/inspector";
import { projectErrors } from "@tritype/project";
import { protocolErrors } from "@tritype/protocol";
import { runtimeErrors } from "@tritype/runtime";
import { serverErrors } from "@tritype/server";
import { tritonserverErrors } from "@tritype/tritonserver";
import { wheelsErrors } from "@tritype/wheels";
import { createErrors } from "create-tritype";

/** The errors of each package. */
export const errorCatalogs: readonly Readonly<Record<string, ErrorEntry>>[] = [
  cliErrors,
  clientErrors,
  createErrors,
  dslErrors,
  endpointErrors,
  generalErrors,
  hubErrors,
  inProcessErrors,
  inspectorErrors,
  projectErrors,
  protocolErrors,
  runtimeErrors,
  serverErrors,
  tritonserverErrors,
  wheelsErrors,
];
