"""Addresses of repositories and refs: what can be minted, what never can, and what a refusal keeps to itself."""

from __future__ import annotations

import ipaddress
import re
import shutil
import subprocess
from collections.abc import Callable

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from kestrel_skills_core.domain.errors import BadSource
from kestrel_skills_core.domain.git_address import (
    CommitId,
    GitRef,
    commit_id,
    commit_meant,
    full_refs,
    git_ref,
    git_url,
    is_public,
)
from tests.examples import examples

ID = "0123456789abcdef0123456789abcdef01234567"
ANYTHING = st.text(st.characters(codec=None, exclude_categories=()), max_size=60)
URLISH = st.text(st.sampled_from("https:/.@?#%2eF\\-xA0[]1$ \n\u212a\u0130\uff11~"), max_size=40)
REFISH = st.text(st.sampled_from("ab/.-@{}~^:?*[\\ \x01\x7flockHEADrefs\u00e9\u200b0123456789"), max_size=30)


def minted_or_refused(mint: Callable[[str], str], text: str) -> str | None:
    """What is minted, or nothing where it is refused, in one line and with a fix."""
    refused = None
    try:
        return mint(text)
    except BadSource as told:
        refused = told
    assert refused.fix
    assert "\n" not in str(refused)
    return None


class TestUrl:
    @pytest.mark.parametrize(
        ("given_", "minted"),
        [
            ("https://github.com/o/r", "https://github.com/o/r"),
            ("https://github.com/o/r.git", "https://github.com/o/r.git"),
            ("https://github.com/o/r/", "https://github.com/o/r/"),
            ("HTTPS://GitHub.COM/O/R", "https://github.com/O/R"),
            ("https://git.example:8443/r", "https://git.example:8443/r"),
            ("https://xn--bcher-kva.example/r", "https://xn--bcher-kva.example/r"),
            ("https://localhost/r", "https://localhost/r"),
            ("https://h.example/~user/a%20b.git", "https://h.example/~user/a%20b.git"),
            ("https://h.example/a@b", "https://h.example/a@b"),
            ("https://h.example/o/tree/main", "https://h.example/o/tree/main"),
        ],
    )
    def test_what_is_minted(self, given_: str, minted: str) -> None:
        """Scheme and host come in lower case, all else as it was given."""
        assert git_url(given_) == minted

    @pytest.mark.parametrize(
        ("given_", "why"),
        [
            ("", "only `https`"),
            ("github.com/o/r", "only `https`"),
            ("http://github.com/o/r", "only `https`"),
            ("git://github.com/o/r", "only `https`"),
            ("ssh://git@github.com/o/r", "only `https`"),
            ("git@github.com:o/r.git", "only `https`"),
            ("file:///etc", "only `https`"),
            ("ext::sh -c id", "only `https`"),
            ("fd::3", "only `https`"),
            ("/etc", "only `https`"),
            ("-uwhatever", "only `https`"),
            ("--upload-pack=id", "only `https`"),
            (" https://h.example/r", "only `https`"),
            ("https:h.example/r", "only `https`"),
            ("https:/h.example/r", "only `https`"),
            ("https:\\\\h.example\\r", "only `https`"),
            ("https://u:p@h.example/r", "it holds credentials"),
            ("https://u@h.example/r", "it holds credentials"),
            ("https://@h.example/r", "it holds credentials"),
            ("https://h.example@evil.example/r", "it holds credentials"),
            ("https://h.example\\@evil.example/r", "it holds credentials"),
            ("https://h.example/r?x=1", "it holds a query or fragment"),
            ("https://h.example/r?", "it holds a query or fragment"),
            ("https://h.example/r#main", "it holds a query or fragment"),
            ("https://h.example?@evil.example/r", "it holds credentials"),
            ("https://", "its host is no name"),
            ("https:///r", "its host is no name"),
            ("https://-oProxyCommand=id/r", "its host is no name"),
            ("https://-x.example/r", "its host is no name"),
            ("https://x-.example/r", "its host is no name"),
            ("https://h..example/r", "its host is no name"),
            ("https://h.example./r", "its host is no name"),
            ("https://.example/r", "its host is no name"),
            ("https://h_x.example/r", "its host is no name"),
            ("https://h example/r", "its host is no name"),
            ("https://h.example\n/r", "its host is no name"),
            ("https://h%2eexample/r", "its host is no name"),
            ("https://h.example\\evil/r", "its host is no name"),
            (f"https://{'a' * 64}.example/r", "its host is no name"),
            (f"https://{'.'.join(['a' * 50] * 6)}/r", "its host is no name"),
            ("https://b\u00fccher.example/r", "its host is not in ASCII"),
            ("https://\u212aernel.org/r", "its host is not in ASCII"),
            ("https://\uff11\uff12\uff17.0.0.1/r", "its host is not in ASCII"),
            ("https://h.example\u3002evil/r", "its host is not in ASCII"),
            ("https://127.0.0.1/r", "its host is an address"),
            ("https://8.8.8.8/r", "its host is an address"),
            ("https://2130706433/r", "its host is an address"),
            ("https://0177.0.0.1/r", "its host is an address"),
            ("https://0x7f000001/r", "its host is an address"),
            ("https://0X7F.1/r", "its host is an address"),
            ("https://127.1/r", "its host is an address"),
            ("https://0/r", "its host is an address"),
            ("https://h.example.1/r", "its host is an address"),
            ("https://[::1]/r", "its host is an address"),
            ("https://[::ffff:127.0.0.1]:443/r", "its host is an address"),
            ("https://[fe80::1%25eth0]/r", "its host is an address"),
            ("https://h.example:/r", "its port is no number"),
            ("https://h.example:0/r", "its port is no number"),
            ("https://h.example:65536/r", "its port is no number"),
            ("https://h.example:0443/r", "its port is no number"),
            ("https://h.example:+443/r", "its port is no number"),
            ("https://h.example:443:80/r", "its port is no number"),
            ("https://h.example:\u0661/r", "its host is not in ASCII"),
            ("https://h.example", "it names no repository"),
            ("https://h.example/", "it names no repository"),
            ("https://h.example//r", "its path has an empty part"),
            ("https://h.example/r//", "its path has an empty part"),
            ("https://h.example/a b", "its path has an empty part"),
            ("https://h.example/a\\b", "its path has an empty part"),
            ("https://h.example/a\x00b", "its path has an empty part"),
            ("https://h.example/r\n", "its path has an empty part"),
            ("https://h.example/\u00e9", "its path has an empty part"),
            ("https://h.example/\ud800", "its path has an empty part"),
            ("https://h.example/a%", "its path has an empty part"),
            ("https://h.example/a%zz", "its path has an empty part"),
            ("https://h.example/a/../b", "a part of its path is"),
            ("https://h.example/./b", "a part of its path is"),
            ("https://h.example/%2e%2E/b", "a part of its path is"),
            ("https://h.example/a%2fb", "a part of its path is"),
            ("https://h.example/a%5cb", "a part of its path is"),
            ("https://h.example/a%00b", "a part of its path is"),
            ("https://h.example/a%0d%0ab", "a part of its path is"),
            ("https://h.example/a%7f", "a part of its path is"),
            ("https://github.com/o/r/tree/main/skills/x", "it is a page about a folder"),
            ("https://github.com/o/r/blob/main/SKILL.md", "it is a page about a folder"),
            ("https://git.example/o/r/-/tree/main", "it is a page about a folder"),
            (f"https://h.example/{'a' * 1024}", "it is longer than 1,024 characters"),
        ],
    )
    def test_what_is_refused(self, given_: str, why: str) -> None:
        """Everything else is refused, with the reason and what to do."""
        with pytest.raises(BadSource) as refused:
            git_url(given_)
        assert refused.value.why.startswith(why)
        assert refused.value.fix

    @pytest.mark.parametrize(
        ("page", "repository"),
        [
            ("https://github.com/o/r/tree/main/skills/x", "https://github.com/o/r"),
            ("https://git.example/g/h/r/-/blob/main/SKILL.md", "https://git.example/g/h/r"),
        ],
    )
    def test_the_page_of_a_folder_names_its_repository(self, page: str, repository: str) -> None:
        """Who copies the address out of a browser is told which one to give."""
        with pytest.raises(BadSource) as refused:
            git_url(page)
        assert f"`{repository}`" in refused.value.fix
        assert git_url(repository) == repository

    @pytest.mark.parametrize(
        "text",
        [
            "https://user:hunter2@h.example/r",
            "https://hunter2@h.example/r",
            "https://user:hunter2@h.example:99999/r",
            "https://us?er:hunter2@h.example/r",
            "https://us#er:hunter2@h.example/r",
            "https://u:p@hunter2@h.example/r",
            "https://h.example/r?token=hunter2",
            "https://h.example/r?token=hunter2@x",
            "https://h.example/r#hunter2",
            "http://user:hunter2@h.example/r",
            "ssh://user:hunter2@h.example/r",
            "user:hunter2@h.example:r",
        ],
    )
    def test_no_refusal_repeats_a_password(self, text: str) -> None:
        """What stands before an `@`, or in a query or fragment, is in no part of the refusal."""
        with pytest.raises(BadSource) as refused:
            git_url(text)
        assert "hunter2" not in f"{refused.value}{refused.value.fix}{refused.value.args}"

    @settings(max_examples=examples(2000))
    @given(ANYTHING | URLISH | URLISH.map(lambda rest: f"https://{rest}") | ANYTHING.map("https://h.example/{}".format))
    @example("https://h.example/r")
    def test_any_text_is_minted_or_refused(self, text: str) -> None:
        """What is minted is plain ASCII of one shape, and minting it again changes nothing."""
        minted = minted_or_refused(git_url, text)
        if minted is None:
            return
        assert re.fullmatch(r"https://[a-z0-9.-]+(:[0-9]+)?(/[!-~]+)+/?", minted)
        assert not set('?#\\[]"<>^`{}|') & set(minted)
        assert "@" not in minted.split("/")[2]
        assert git_url(minted) == minted


class TestRef:
    @pytest.mark.parametrize(
        "text",
        [
            "HEAD",
            "main",
            "feature/a-b",
            "v1.0",
            "refs/heads/main",
            "refs/tags/v1",
            "refs/heads/deadbeef",
            "a@b",
            "a-",
            "beef",
            "abcdefg",
            "release/1.x",
            "\u00e9t\u00e9",
            "x{y",
            ID,
            "a" * 1024,
        ],
    )
    def test_what_is_minted(self, text: str) -> None:
        """Branches with slashes, tags, full refs and full ids are kept as they are."""
        assert git_ref(text) == text

    def test_an_id_comes_in_lower_case(self) -> None:
        """Two spellings of one id are one."""
        assert git_ref(ID.upper()) == ID
        assert commit_id(ID.upper()) == ID

    @pytest.mark.parametrize(
        ("text", "why"),
        [
            ("", "it is empty"),
            ("-x", "it begins with `-`"),
            ("--upload-pack=id", "it begins with `-`"),
            ("a..b", "it holds `..`"),
            ("..", "it holds `..`"),
            ("refs//a", "it begins or ends with a slash, or holds two"),
            ("/a", "it begins or ends with a slash"),
            ("a/", "it begins or ends with a slash"),
            ("a.lock", "a part of it ends with `.lock`"),
            ("a.lock/b", "a part of it ends with `.lock`"),
            ("@{1}", "it holds `@{`"),
            ("main@{upstream}", "it holds `@{`"),
            ("@", "git takes `@` for HEAD"),
            (".a", "a part of it begins with a dot"),
            ("a/.b", "a part of it begins with a dot"),
            ("a.", "it ends with a dot"),
            ("HEAD~1", "it holds white space, a control"),
            ("HEAD^", "it holds white space, a control"),
            ("main:path", "it holds white space, a control"),
            ("a b", "it holds white space, a control"),
            ("a\n", "it holds white space, a control"),
            ("a\0", "it holds white space, a control"),
            ("a\x7f", "it holds white space, a control"),
            ("refs/heads/*", "it holds white space, a control"),
            ("a?", "it holds white space, a control"),
            ("a[", "it holds white space, a control"),
            ("a\\b", "it holds white space, a control"),
            ("0123456", "an id that is cut short"),
            (ID[:39], "an id that is cut short"),
            ("DEADBEEF", "an id that is cut short"),
            (ID + ID[:24], "repositories with ids of SHA-256"),
            ("a\u200bb", "it holds a format character"),
            ("a\u202eb", "it holds a format character"),
            ("a\ud800", "it holds half of a surrogate pair"),
            ("a" * 1025, "it is longer than 1,024 bytes"),
            ("\u00e9" * 513, "it is longer than 1,024 bytes"),
        ],
    )
    def test_what_is_refused(self, text: str, why: str) -> None:
        """What git allows no ref to be, what may mean several commits, and what nobody can see."""
        with pytest.raises(BadSource) as refused:
            git_ref(text)
        assert refused.value.why.startswith(why)
        assert refused.value.fix

    @settings(max_examples=examples(2000))
    @given(ANYTHING | REFISH)
    def test_any_text_is_minted_or_refused(self, text: str) -> None:
        """What is minted keeps the rules of `git check-ref-format`, and minting it again changes nothing."""
        minted = minted_or_refused(git_ref, text)
        if minted is None:
            return
        assert git_ref(minted) == minted
        assert minted.casefold() == text.casefold()
        assert not re.search(r"^-|\.\.|@\{|[\x00-\x20\x7f~^:?*\[\\]|//|\.$|/$|^/", minted)
        assert not any(part.startswith(".") or part.endswith(".lock") for part in minted.split("/"))

    @pytest.mark.skipif(shutil.which("git") is None, reason="the git command line is not here")
    @pytest.mark.parametrize(
        "text", ["a.", "a..b", "a/.b", "a.lock/b", "a@{b", "a\\b", "a//b", "a~", "a\x7f", "a b", "/a"]
    )
    def test_git_refuses_the_same(self, text: str) -> None:
        """`git check-ref-format` is of one mind with us on what no branch may be."""
        ran = subprocess.run(["git", "check-ref-format", f"refs/heads/{text}"], check=False)
        assert ran.returncode == 1
        with pytest.raises(BadSource):
            git_ref(f"refs/heads/{text}")

    @pytest.mark.skipif(shutil.which("git") is None, reason="the git command line is not here")
    @settings(max_examples=examples(60))
    @given(REFISH)
    def test_git_takes_what_is_minted(self, text: str) -> None:
        """What we let through, git lets through."""
        try:
            minted = git_ref(f"refs/heads/{text}")
        except BadSource:
            return
        assert subprocess.run(["git", "check-ref-format", minted], check=False).returncode == 0


class TestCommit:
    @pytest.mark.parametrize("text", ["", ID[:39], ID + "0", ID[:39] + "g", ID + "\n", "HEAD", "\uff10" * 40])
    def test_what_is_no_full_id(self, text: str) -> None:
        """All forty digits, and nothing else."""
        with pytest.raises(BadSource) as refused:
            commit_id(text)
        assert refused.value.fix


class TestMeaning:
    ONE, OTHER = CommitId("1" * 40), CommitId("2" * 40)

    def test_what_to_ask_for(self) -> None:
        """A short name may be a branch or a tag; an id needs no asking."""
        assert full_refs(git_ref("main")) == ("refs/heads/main", "refs/tags/main")
        assert full_refs(git_ref("HEAD")) == ("HEAD",)
        assert full_refs(git_ref("refs/pull/1/head")) == ("refs/pull/1/head",)
        assert full_refs(git_ref(ID)) == ()

    def test_a_branch_or_a_tag(self) -> None:
        """Whichever is there; a full name means itself alone."""
        assert commit_meant(git_ref("v1"), {"refs/heads/v1": self.ONE, "refs/heads/x": self.OTHER}) == self.ONE
        assert commit_meant(git_ref("v1"), {"refs/tags/v1": self.ONE}) == self.ONE
        assert commit_meant(git_ref("HEAD"), {"HEAD": self.ONE}) == self.ONE
        found = {"refs/heads/v1": self.ONE, "refs/tags/v1": self.OTHER}
        assert commit_meant(git_ref("refs/tags/v1"), found) == self.OTHER

    def test_an_id_means_itself(self) -> None:
        """Whatever the server has."""
        assert commit_meant(git_ref(ID), {}) == ID

    def test_a_branch_and_a_tag_of_one_name(self) -> None:
        """They are no matter where they mean one commit, and are told where they do not."""
        assert commit_meant(git_ref("v1"), {"refs/heads/v1": self.ONE, "refs/tags/v1": self.ONE}) == self.ONE
        with pytest.raises(BadSource) as refused:
            commit_meant(git_ref("v1"), {"refs/heads/v1": self.ONE, "refs/tags/v1": self.OTHER})
        assert refused.value.fix == "give `refs/heads/v1` or `refs/tags/v1`"

    def test_no_such_ref(self) -> None:
        """What a server does not have is not guessed."""
        with pytest.raises(BadSource, match="'v1' cannot be used as a source: the repository has no such ref"):
            commit_meant(GitRef("v1"), {"refs/heads/v10": self.ONE, "v1": self.ONE})


# What IANA's registries of special-purpose addresses say is not for everybody, and what contract and clouds add to it.
NOT_PUBLIC = """
0.0.0.0 0.1.2.3 10.0.0.1 10.255.255.255 100.64.0.1 100.127.255.255 127.0.0.1 127.255.255.254 168.63.129.16 169.254.0.1
169.254.169.254 172.16.0.1 172.31.255.255 192.0.0.1 192.0.0.9 192.0.0.10 192.0.0.170 192.0.2.1 192.88.99.1 192.168.1.1
198.18.0.1 198.19.255.255 198.51.100.1 203.0.113.1 224.0.0.1 239.255.255.255 240.0.0.1 255.255.255.255
:: ::1 ::2 ::7f00:1 ::127.0.0.1 ::8.8.8.8 ::ffff:127.0.0.1 ::ffff:8.8.8.8 ::ffff:808:808 ::ffff:0:8.8.8.8
64:ff9b::8.8.8.8 64:ff9b::1 64:ff9b:1::1 100::1 2001::1 2001:0:4136:e378:8000:63bf:3fff:fdd2 2001:1::1 2001:2::1
2001:3::1 2001:4:112::1
2001:10::1 2001:20::1 2001:db8::1 2002::1 2002:7f00:1:: 2002:808:808::1 3fff::1 3fff:fff:ffff::1 4000::1
5f00::1 fc00::1 fd00:ec2::254 fe80::1 febf::1 fec0::1 ff02::1 ff0e::1 ffff::1
fe80::1%eth0 2606:4700::1%1 2606:4700::1%eth0 2606:4700::1% 8.8.8.8%1
"""
NO_ADDRESS = [
    "",
    " ",
    "localhost",
    "8.8.8",
    "8.8.8.8.8",
    "08.8.8.8",
    "010.0.0.1",
    "0x8.8.8.8",
    "134744072",
    "8.8.8.8/32",
    "[2606:4700::1]",
    "8.8.8.8 ",
    " 8.8.8.8",
    "8.8.8.8\n",
    "8.8.8.8:443",
    "\uff18.8.8.8",
    "2606:4700:::1",
    "2606:4700::1\0",
    "-8.8.8.8",
]
PUBLIC = """
1.1.1.1 8.8.8.8 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.1 140.82.112.3 168.63.129.15
168.63.129.17 169.253.255.255 169.255.0.0 172.15.255.255 172.32.0.0 191.255.255.255 192.0.1.0 192.0.3.0 192.88.98.255
192.167.255.255 192.169.0.0 198.17.255.255 198.20.0.0 198.51.99.255 198.51.101.0 203.0.112.255 203.0.114.0
223.255.255.255
2001:200::1 2001:4860:4860::8888 2001:db7:ffff::1 2001:db9::1 2003::1 2606:4700::1 2A00:1450:4001::1 3ffe::1
"""


class TestAddresses:
    @pytest.mark.parametrize("address", [*NOT_PUBLIC.split(), *NO_ADDRESS])
    def test_what_nobody_may_be_led_to(self, address: str) -> None:
        """Private, shared, special, multicast, hidden in another, with a zone, or no plain address at all."""
        assert not is_public(address)

    @pytest.mark.parametrize("address", PUBLIC.split())
    def test_what_everybody_reaches(self, address: str) -> None:
        """The addresses on either side of each range are not refused with it."""
        assert is_public(address)

    @settings(max_examples=examples(2000))
    @given(st.ip_addresses() | st.integers(0, 2**32 - 1).map(ipaddress.IPv4Address))
    def test_no_address_is_public_that_python_takes_for_none(
        self, address: ipaddress.IPv4Address | ipaddress.IPv6Address
    ) -> None:
        """Whatever this Python's own table says is not global, or is for many, is refused here."""
        if is_public(str(address)):
            assert address.is_global
            assert not address.is_multicast

    @settings(max_examples=examples(2000))
    @given(
        st.ip_addresses(v=4).flatmap(
            lambda v4: st.sampled_from(
                [
                    f"::ffff:{v4}",
                    f"::{v4}",
                    f"::ffff:0:{v4}",
                    f"64:ff9b::{v4}",
                    f"2002:{int(v4) >> 16:x}:{int(v4) & 0xFFFF:x}::1",
                    f"2001:0:{int(v4) >> 16:x}:{int(v4) & 0xFFFF:x}::1",
                    f"{v4}%0",
                ]
            )
        )
    )
    def test_no_address_hides_in_another(self, address: str) -> None:
        """Not even a public one: who connects to it connects to something else."""
        assert not is_public(address)

    @settings(max_examples=examples(2000))
    @given(ANYTHING | st.text(st.sampled_from("0123456789abcdef.:%xX[]/ "), max_size=40))
    def test_any_text_is_public_or_not(self, text: str) -> None:
        """Nothing is raised, and what is public is spelt in digits, dots and colons alone."""
        if is_public(text):
            assert re.fullmatch(r"[0-9a-fA-F.:]+", text)
