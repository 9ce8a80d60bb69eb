"""The connections between this process and the runtime."""

from __future__ import annotations

import socket
import sys


def accept_host(address: dict, count: int) -> list:
    """Listens on `address` ({"path"} of a Unix socket, or {"token"} for loopback TCP) and returns `count` connections to the host.

    The address is printed to stdout, to which nothing else is written. Over TCP a peer must first send the token, in hexadecimal.
    """
    token = address.get("token", "").encode()
    if "path" in address:
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(address["path"])
    else:
        listener = socket.socket(socket.AF_INET)
        listener.bind(("127.0.0.1", 0))
    listener.listen(8)
    port = 0 if "path" in address else listener.getsockname()[1]
    sys.stdout.write(f"tritype-child listens {port}\n")
    sys.stdout.flush()
    peers = []
    while len(peers) < count:
        peer, _ = listener.accept()
        if _sends_token(peer, token):
            peers.append(_tuned(peer))
        else:
            peer.close()
    listener.close()
    return peers


def _sends_token(peer: socket.socket, token: bytes) -> bool:
    if not token:
        return True
    peer.settimeout(5)
    received = b""
    try:
        while len(received) < len(token):
            data = peer.recv(len(token) - len(received))
            if not data:
                return False
            received += data
    except OSError:
        return False
    peer.settimeout(None)
    import hmac  # loads OpenSSL, so it is imported only for TCP

    return hmac.compare_digest(received, token)


def _tuned(peer: socket.socket) -> socket.socket:
    if peer.family == socket.AF_INET:
        peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return peer
