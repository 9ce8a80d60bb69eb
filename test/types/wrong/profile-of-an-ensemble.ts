// instances of an ensemble in a profile
import { defineEnsemble, fp32 } from "tritype";

export const wrong = defineEnsemble({
  name: "wrong",
  inputs: { x: fp32("batch", 4) },
  run: ({ x }) => ({ y: x.neg() }),
  profiles: { cpu: { instanceGroup: [{ kind: "cpu" }] } },
});
