// a custom step without a backend
import { custom, fp32 } from "tritype";

export const wrong = custom({
  name: "wrong",
  inputs: { x: fp32("batch", 4) },
  outputs: { y: fp32("batch", 4) },
});
