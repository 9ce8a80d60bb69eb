import { prepare } from "./prepare.ts";
import { pythonWithNumpy } from "./python.ts";

export const setup = (): Promise<void> => prepare(pythonWithNumpy);
