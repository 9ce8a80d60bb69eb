import { notice, prepare } from "./prepare.ts";
import { tritonWithNode } from "./triton.ts";

export const setup = (): Promise<void> => prepare(() => tritonWithNode(notice));
