"""Addresses of repositories, and what is asked for in them: minted here only, so that what has the type is legal.

Rule 1: a `GitUrl` leads by `https` to a host's name, and holds nothing that two readers of URLs could read in two ways.
Rule 2: a `GitRef` is a name that git itself allows (`git check-ref-format`), and never one that means several commits.
Rule 3: what was refused may hold a password: no refusal repeats what stands before an `@`, or in a query.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Mapping
from typing import Final, NewType
from urllib.parse import unquote_to_bytes

from .errors import BadSource
from .limits import LIMITS
from .text import escaped, unseen

__all__ = ["CommitId", "GitRef", "GitUrl", "commit_id", "commit_meant", "full_refs", "git_ref", "git_url", "is_public"]

GitUrl = NewType("GitUrl", str)
"""An address that `git_url` minted."""

GitRef = NewType("GitRef", str)
"""What `git_ref` minted: `HEAD`, a branch, a tag, a full ref, or a full commit id."""

CommitId = NewType("CommitId", str)
"""The full id of a commit, 40 lower-case hex digits."""

_EXAMPLE: Final = "give it as `https://<host>/<path of the repository>`"
_NAMED: Final = "give the host by its name: a certificate speaks for names"

_COMMIT: Final = re.compile(r"[0-9a-fA-F]{40}")
_ABBREVIATED: Final = re.compile(r"[0-9a-fA-F]{7,39}")
_SHA256: Final = re.compile(r"[0-9a-fA-F]{64}")

_SCHEME: Final = re.compile(r"https://", re.IGNORECASE | re.ASCII)
_LABEL: Final = r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"
_HOST: Final = re.compile(rf"{_LABEL}(?:\.{_LABEL})*")
_NUMBER: Final = re.compile(r"(?:.*\.)?(?:[0-9]+|0x[0-9a-f]*)")
"""A host that ends so is an address to resolvers, however it is written: `2130706433`, `0177.1`, `0x7f.0.0.1`."""
_PORT: Final = re.compile(r"[1-9][0-9]{0,4}")
_PATH: Final = re.compile(r"(?:/(?:[A-Za-z0-9._~!$&'()*+,;=:@-]|%[0-9A-Fa-f]{2})+)+/?")
_PAGE: Final = re.compile(r"(github\.com/[^/]+/[^/]+|.+?/-)/(?:tree|blob)/.*")
"""A folder's page in a browser, not a repository: at GitHub, and at GitLab."""

_BAD_IN_REF: Final = (
    (re.compile(r"^-"), "it begins with `-`, as options do"),
    (re.compile(r"\.\."), "it holds `..`"),
    (re.compile(r"@\{"), "it holds `@{`"),
    (
        re.compile(r"[\x00-\x20\x7f~^:?*\[\\]"),
        "it holds white space, a control, or one of ~^:?*[ and the backslash",
    ),
    (re.compile(r"(?:^|/)\."), "a part of it begins with a dot"),
    (re.compile(r"\.lock(?:/|\Z)"), "a part of it ends with `.lock`"),
    (re.compile(r"^/|/\Z|//"), "it begins or ends with a slash, or holds two in a row"),
    (re.compile(r"\.\Z"), "it ends with a dot"),
    (re.compile(r"^@\Z"), "git takes `@` for HEAD"),
)

_GLOBAL_V6: Final = ipaddress.IPv6Network("2000::/3")
"""All that was ever given out to be reached by everybody; beyond it lie the spellings that hide an IPv4 address."""
_REFUSED: Final = tuple(
    map(
        ipaddress.ip_network,
        (
            "0.0.0.0/8",
            "10.0.0.0/8",
            "100.64.0.0/10",  # inside a provider's network
            "127.0.0.0/8",
            "168.63.129.16/32",  # the host of a virtual machine, at one large provider
            "169.254.0.0/16",  # link-local, and where clouds tell machines their secrets
            "172.16.0.0/12",
            "192.0.0.0/24",
            "192.0.2.0/24",
            "192.88.99.0/24",  # relays of 6to4
            "192.168.0.0/16",
            "198.18.0.0/15",
            "198.51.100.0/24",
            "203.0.113.0/24",
            "224.0.0.0/4",  # multicast
            "240.0.0.0/4",
            "2001::/23",  # protocols, among them Teredo, which hides an IPv4 address
            "2001:db8::/32",
            "2002::/16",  # 6to4, which hides an IPv4 address
            "3fff::/20",
        ),
    )
)
"""Special-purpose addresses by IANA's registries (RFC 6890), and two that clouds use. Written out, since what Python's
`is_global` says differs from release to release, and is true for multicast."""


def git_url(text: str) -> GitUrl:
    """Mint the address of a repository: scheme and host in lower case, all else as given.

    Raises:
        BadSource: It is not `https://<host's name>[:port]/<path>`: another scheme or none, credentials, a query or
            fragment, an address in place of a name, a path with an empty part, `.` or `..`, or with characters that
            must be written `%XX`; or it is longer than 1,024 characters.
    """
    if len(text) > LIMITS.path_bytes:
        raise _bad_url(text, f"it is longer than {LIMITS.path_bytes:,} characters", _EXAMPLE)
    if not (scheme := _SCHEME.match(text)):
        raise _bad_url(text, "only `https` is spoken here", _EXAMPLE)
    _refuse_extras(text)
    authority, slash, rest = text[scheme.end() :].partition("/")
    if not authority.isascii():  # told before any folding: a Kelvin sign in lower case is a `k`
        raise _bad_url(text, "its host is not in ASCII", "give the host as the network spells it, `xn--…`")
    host, colon, port = authority.lower().partition(":")
    _refuse_host(text, host)
    if colon and not (_PORT.fullmatch(port) and int(port) < 1 << 16):
        raise _bad_url(text, "its port is no number from 1 to 65535", "leave the port out, or write it as a number")
    _refuse_path(text, slash + rest)
    if page := _PAGE.fullmatch(f"{host}/{rest}"):
        repository = page[1].removesuffix("/-")
        raise _bad_url(text, "it is a page about a folder", f"give `https://{repository}`, and the folder by its path")
    return GitUrl(f"https://{host}{colon}{port}{slash}{rest}")


def git_ref(text: str) -> GitRef:
    """Mint what is asked for in a repository: `HEAD`, a branch, a tag, a full ref, or a full id, then in lower case.

    Raises:
        BadSource: Git allows no such name; it could be an id cut short, which may come to mean another commit; or it
            holds what nobody can see.
    """
    if not text:
        raise BadSource(text, "it is empty", "leave it out, or give a branch, a tag or a full commit id")
    if _COMMIT.fullmatch(text):
        return GitRef(text.lower())
    if _ABBREVIATED.fullmatch(text):
        raise BadSource(
            text,
            "an id that is cut short can come to mean another commit",
            "give the whole id, 40 digits; or, if it is a branch or tag, `refs/heads/…` or `refs/tags/…`",
        )
    if _SHA256.fullmatch(text):
        raise BadSource(text, "repositories with ids of SHA-256 are not read", "give the address of another one")
    if (why := _why_no_ref(text)) is not None:
        raise BadSource(text, why, "give a branch, a tag or a full commit id as the repository spells it")
    return GitRef(text)


def commit_id(text: str) -> CommitId:
    """Mint the full id of a commit, in lower case.

    Raises:
        BadSource: It does not have 40 hex digits.
    """
    if not _COMMIT.fullmatch(text):
        raise BadSource(text, "it is no full commit id", "give all 40 hex digits")
    return CommitId(text.lower())


def full_refs(ref: GitRef) -> tuple[str, ...]:
    """The full names to ask a server for; none where the ref is an id, which needs no asking."""
    if _COMMIT.fullmatch(ref):
        return ()
    if ref == "HEAD" or ref.startswith("refs/"):
        return (ref,)
    return (f"refs/heads/{ref}", f"refs/tags/{ref}")


def commit_meant(ref: GitRef, found: Mapping[str, CommitId]) -> CommitId:
    """The commit that a ref means, of those that a server has by full name; an id means itself.

    Raises:
        BadSource: There is no such ref; or a branch and a tag have that name, and mean different commits.
    """
    names = full_refs(ref)
    if not names:
        return CommitId(ref)
    meant = {found[name] for name in names if name in found}
    if not meant:
        raise BadSource(ref, "the repository has no such ref", "look up which branches and tags it has")
    if len(meant) > 1:
        raise BadSource(ref, "a branch and a tag have that name", f"give `{names[0]}` or `{names[1]}`")
    return meant.pop()


def is_public(address: str) -> bool:
    """Whether an address, as a resolver gives it, is one that everybody reaches, and no way to hide another.

    False for anything that is not the plain text of an IPv4 or IPv6 address; for one with a zone; for private,
    link-local, shared, reserved and multicast ones; for an IPv4 address inside an IPv6 one (mapped, compatible,
    translated, 6to4, Teredo).
    """
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return False
    if isinstance(parsed, ipaddress.IPv6Address) and (parsed.scope_id is not None or parsed not in _GLOBAL_V6):
        return False
    return not any(parsed in network for network in _REFUSED)


def _bad_url(text: str, why: str, fix: str) -> BadSource:
    """A refusal that does not repeat a password: nothing before an `@`, no query, no fragment (rule 3)."""
    shown = re.split(r"[?#]", text, maxsplit=1)[0]
    before, at, after = shown.rpartition("@")
    if at:
        shown = f"{before.partition('//')[0]}//…@{after}" if "//" in before else f"…@{after}"
    return BadSource(escaped(shown[:200]), why, fix)


def _refuse_extras(text: str) -> None:
    if "@" in text[len("https://") :].partition("/")[0]:
        raise _bad_url(text, "it holds credentials", "leave out everything before the `@`")
    if "?" in text or "#" in text:
        raise _bad_url(text, "it holds a query or fragment", "leave out everything from the `?` or `#` on")


def _refuse_host(text: str, host: str) -> None:
    if host.startswith("[") or _NUMBER.fullmatch(host):
        raise _bad_url(text, "its host is an address", _NAMED)
    if len(host) > 253 or not _HOST.fullmatch(host):  # RFC 1035, as text
        raise _bad_url(text, "its host is no name", _EXAMPLE)


def _refuse_path(text: str, path: str) -> None:
    if path in ("", "/"):
        raise _bad_url(text, "it names no repository", _EXAMPLE)
    if not _PATH.fullmatch(path):
        raise _bad_url(text, "its path has an empty part, or a character that must be written `%XX`", _EXAMPLE)
    for part in path.strip("/").split("/"):
        meant = unquote_to_bytes(part)
        if meant in (b".", b"..") or re.search(rb"[\x00-\x1f\x7f/\\]", meant):
            raise _bad_url(text, "a part of its path is `.` or `..`, or hides a slash, backslash or control", _EXAMPLE)


def _why_no_ref(text: str) -> str | None:
    if len(text.encode("utf-8", "surrogatepass")) > LIMITS.path_bytes:
        return f"it is longer than {LIMITS.path_bytes:,} bytes"
    for pattern, why in _BAD_IN_REF:
        if pattern.search(text):
            return why
    hidden = next(unseen(text), None)
    return None if hidden is None else f"it holds {hidden}"
