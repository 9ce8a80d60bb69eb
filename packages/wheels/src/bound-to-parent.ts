/**
 * The argv that runs `argv` so that it ends (SIGTERM) when the process that started it ends for any reason. Linux only:
 * prctl(2), PR_SET_PDEATHSIG, which survives execve.
 */
export function boundToParent(
  python: string,
  argv: readonly [string, ...string[]],
  parent: number = process.pid,
): readonly [string, ...string[]] {
  return [python, "-I", "-S", "-c", script, String(parent), ...argv];
}

const script = `
import ctypes, os, signal, sys
ctypes.CDLL(None).prctl(1, int(signal.SIGTERM))
if os.getppid() != int(sys.argv[1]):
    sys.exit("the parent has ended")
os.execv(sys.argv[2], sys.argv[2:])
`;
