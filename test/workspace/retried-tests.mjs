/** Reports why a test needed another attempt: for a test that passes in the end, Vitest only shows how many it took. */
// oxlint-disable-next-line import/no-default-export -- Vitest imports a reporter as the default export
export default class RetriedTests {
  onTestCaseResult(test) {
    const attempts = test.diagnostic()?.retryCount ?? 0;
    if (attempts === 0) return;
    console.log(`another attempt: ${test.module.relativeModuleId} > ${test.fullName}`);
    for (const { message, diff, stacks = [] } of test.result().errors ?? []) {
      const [place] = stacks;
      const lines = [message, diff, place && `at ${place.file}:${place.line}`].filter(Boolean).join("\n");
      console.log(lines.split("\n").slice(0, 60).join("\n"));
    }
  }
}
