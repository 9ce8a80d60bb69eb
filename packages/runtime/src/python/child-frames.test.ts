import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { pythonWithNumpy } from "../../../../test/environment/python.ts";

/** Sends frames through a socket in parts of a given size, receives them with the process's own code and compares. */
const script = `
import os, socket, sys, threading
sys.path.insert(0, sys.argv[1])
from tritype_child.frames import Body, Channel

small = [(1, b"", []), (2, b"meta", [b"the body"]), (3, b"only meta", []), (4, b"", [b"a", bytes(300)])]
large = [(5, bytes(70_000), []), (6, b"large", [b"first", os.urandom(200_000)])]


def recorded(frames):
    sender, receiver = socket.socketpair()
    def send():
        channel = Channel(sender)
        for id, meta, parts in frames:
            body = Body()
            for part in parts:
                body.add(part)
            channel.send(68, id, meta, body if parts else None)
        sender.close()
    threading.Thread(target=send).start()
    with receiver.makefile("rb") as file:
        return file.read()


class Parts:
    """A socket that delivers a recording in parts."""

    def __init__(self, parts):
        self._parts = [part for part in reversed(parts) if part]

    def recv_into(self, target):
        part = self._parts.pop() if self._parts else b""
        count = min(len(part), len(target))
        target[:count] = part[:count]
        if count < len(part):
            self._parts.append(part[count:])
        return count


def check(frames, parts):
    channel = Channel(Parts(parts))
    received = [channel.receive() for _ in frames]
    for frame, (id, meta, parts) in zip(received, frames):
        body = b"".join(part + bytes(-len(part) % 64) for part in parts[:-1]) + b"".join(parts[-1:])
        assert (frame.type, frame.id, bytes(frame.meta), bytes(frame.body)) == (68, id, meta, body)
    try:
        channel.receive()
    except EOFError:
        return
    raise AssertionError("no end")


wire = recorded(small)
for split in range(len(wire) + 1):
    check(small, [wire[:split], wire[split:]])
frames = [*small, *large, *small * 150, *large]
wire = recorded(frames)
for size in (7, 32, 1000, 65_536, len(wire)):
    check(frames, [wire[at : at + size] for at in range(0, len(wire), size)])
print("same")
`;

test("the process reads frames that arrive in any parts, several at once, or large", async () => {
  const sources = fileURLToPath(new URL("../../python", import.meta.url));
  const { stdout } = await promisify(execFile)(await pythonWithNumpy(), ["-Bc", script, sources]);
  expect(stdout).toBe("same\n");
});
