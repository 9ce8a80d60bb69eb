import { invariant } from "@tritype/core";

/**
 * The text of an emitted `model.py` whose errors take 10 ms. A Triton before 26.05 may hang or end when a step of an ensemble fails
 * before the steps that start at the same time have started (core#466, core#483). Starting them takes a fraction of a millisecond, but
 * 1 ms is too short on a machine with much more work than cores.
 */
export const holdErrors = (python: string): string => {
  const withTime = /^import time$/m.test(python) ? python : insertOnce(python, "\nfrom ", "\nimport time");
  const withDecorator = insertOnce(withTime, "\nclass TritonPythonModel:\n", holdFunction);
  return insertOnce(withDecorator, "\n    def execute(self, requests):\n", "\n    @hold_errors");
};

const insertOnce = (text: string, before: string, inserted: string): string => {
  const at = text.indexOf(before);
  invariant(at >= 0, `an emitted model.py lacks ${JSON.stringify(before)}`);
  return text.slice(0, at) + inserted + text.slice(at);
};

const holdFunction = `
def hold_errors(execute):
    """Errors wait for 10 ms: Triton before 26.05 may hang or end when a step fails before those beside it have started."""

    def held(self, requests):
        responses = execute(self, requests)
        if any(response.has_error() for response in responses):
            time.sleep(0.01)
        return responses

    return held

`;
