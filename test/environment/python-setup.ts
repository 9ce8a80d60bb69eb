import { prepare } from "./prepare.ts";
import { pythonWithNumpy } from "./python.ts";

export default (): Promise<void> => prepare(pythonWithNumpy);
