"""Where texts may go: URLs of servers, and whether they lead to this machine."""

from __future__ import annotations

import ipaddress
import socket
from urllib.parse import urlsplit, urlunsplit

from miner.errors import OptionError


def checked_url(url: str, *, allow_remote: bool) -> str:
    """Return a server's URL without a trailing slash or API version.

    Raises
    ------
    OptionError
        If it is no URL of a server, or the server is another machine and ``allow_remote`` is not set.
    """
    parts = urlsplit(url if "://" in url else f"http://{url}")
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.query:
        msg = f"The server must be a URL such as http://localhost:8081, got {url!r}"
        raise OptionError(msg)
    path = parts.path.rstrip("/").removesuffix("/v2")
    clean = urlunsplit((parts.scheme, parts.netloc, path, "", ""))
    if not allow_remote and not is_this_machine(clean):
        msg = (
            f"The server {parts.hostname} is not this machine: every text of the corpus would be sent there. "
            "If that is allowed for these texts, say so with --allow-remote (allow_remote=True)"
        )
        raise OptionError(msg)
    return clean


def is_this_machine(url: str) -> bool:
    """Tell whether all addresses of the URL's host belong to this machine (a socket can be bound to them)."""
    try:
        found = socket.getaddrinfo(urlsplit(url).hostname, None, type=socket.SOCK_STREAM)
    except OSError:
        return False
    return bool(found) and all(_is_own(family, str(address[0])) for family, _, _, _, address in found)


def _is_own(family: int, address: str) -> bool:
    if ipaddress.ip_address(address.split("%")[0]).is_loopback:
        return True
    try:
        with socket.socket(family) as probe:
            probe.bind((address, 0))
    except OSError:
        return False
    return True
