"""A real host in a folder of its own: an agent is incepted there, a server runs over it, and nothing of it stays.

Everything runs with the Python that runs this, in whose environment the host is installed, and with no environment
variable but those named here: no key, proxy or setting of a person's comes in.
"""

from __future__ import annotations

import itertools
import json
import os
import secrets
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from .client import Client, Decide
from .installed import host_version
from .model import Call, Play, ScriptedModel

__all__ = ["AGENT", "FEATURE", "Home", "Host", "host_version", "table_broken"]

AGENT: Final = "kite"
FEATURE: Final = "ProceduralSkillsFeature"
ROOMY: Final = 200_000
"""Tokens of context that leave no clause out; the host's own default does."""
_INCEPTION: Final = Path(__file__).with_name("inception.py")
_START: Final = 90.0
_STOP: Final = 20.0

_SETTINGS: Final = """\
[llm]
route_priority = ["stub:local"]
[llm.vendors.stub]
is_cloud = false
[llm.vendors.stub.routes.local]
adapter = "OpenAIAdapter"
base_url = "{model}"
api_key = "none"
local = true
model = "scripted"
[llm.catalog.context_limits_override]
"scripted" = {context}
"""
_AGENTS: Final = """\
[host]
port = {port}
bind = "127.0.0.1"
"""
_AGENT: Final = """\
[agents.{agent}]
data_dir = "agent_data/{agent}"
port = {unused}
autostart = true
features = [{features}]
"""


def _forget_models() -> None:
    """Remove what a host whose Console was opened wrote into its own package: the models, for all homes to come."""
    host = find_spec("kestrel_sovereign")
    assert host is not None, "a test of a host has one"
    assert host.origin is not None, "it is a package"
    Path(host.origin).with_name("model_discovery_cache.json").unlink(missing_ok=True)


@contextmanager
def table_broken(database: Path) -> Iterator[None]:
    """In the place of the table of states is another one, of which nothing that is asked can be answered."""
    with closing(sqlite3.connect(database, timeout=30, isolation_level=None)) as connection:
        connection.execute("ALTER TABLE bootstrap_config RENAME TO away")
        try:
            connection.execute("CREATE TABLE bootstrap_config (odd TEXT)")
            yield
        finally:
            connection.execute("DROP TABLE IF EXISTS bootstrap_config")
            connection.execute("ALTER TABLE away RENAME TO bootstrap_config")


class Home:
    """A folder that is $KESTREL_HOME, with its agents, of which most have one, and the settings that they need.

    `features` are the classes that each agent loads beside those that it always loads; `packages` are folders in which
    more packages lie, which nobody installed; `python` is of the environment whose host runs here, and `port` is its
    server's, where it may not be any that is free.
    """

    def __init__(  # noqa: PLR0913 - each is one thing in which a home may differ
        self,
        folder: Path,
        model: str,
        *,
        features: Iterable[str] = (FEATURE,),
        context: int = ROOMY,
        packages: Iterable[Path] = (),
        environ: Mapping[str, str] | None = None,
        agents: Iterable[str] = (AGENT,),
        python: Path = Path(sys.executable),
        port: int | None = None,
    ) -> None:
        self.folder = folder
        self.agents = tuple(agents)
        self.features = (*features, "BootstrapFeature")
        self.context = context
        self._model = model
        self._python = python
        self._port = port
        self._key = secrets.token_hex(8)
        self._packages = tuple(packages)
        self._more = dict(environ or {})
        self._server: subprocess.Popen[bytes] | None = None
        folder.mkdir(parents=True, exist_ok=True)

    def kill(self) -> None:
        """End the server that runs over this home in the middle of whatever it does, and whatever it started."""
        assert self._server is not None
        with suppress(ProcessLookupError):
            os.killpg(self._server.pid, signal.SIGKILL)
        self._server.wait()

    def data_of(self, agent: str) -> Path:
        """The folder of an agent's own data."""
        return self.folder / "agent_data" / agent

    @property
    def data(self) -> Path:
        """The folder of the first agent's."""
        return self.data_of(AGENT)

    @property
    def database(self) -> Path:
        """The file in which the agent keeps what is on, among the rest."""
        return self.data / "kestrel_prime.db"

    @property
    def did(self) -> str:
        """Who the agent is, once it has been incepted."""
        (document,) = self.data.glob("*_did.json")
        return str(json.loads(document.read_text())["id"])

    @property
    def skills(self) -> Path:
        """The agent's own skills."""
        return self.data / "skills"

    @property
    def shared(self) -> Path:
        """The skills that the host shares among its agents."""
        return self.folder / "skills"

    @property
    def log(self) -> Path:
        """What the server said."""
        return self.folder / "server.log"

    @property
    def environ(self) -> dict[str, str]:
        """All of the environment that a program of the host gets."""
        return {
            "PATH": "/usr/bin:/bin",
            "HOME": str(self.folder),
            "LANG": "C.UTF-8",
            "AWS_EC2_METADATA_DISABLED": "true",
            "KESTREL_HOME": str(self.folder),
            "KESTREL_API_KEY": self._key,
            "KESTREL_DID_WEB_DOMAIN": "localhost",
            "KESTREL_PHOENIX_ENABLED": "0",
            "KESTREL_SKIP_REACHABILITY_PROBE": "1",
            "KESTREL_TRACING_ENABLED": "0",
            "RATELIMIT_ENABLED": "false",
            "PYTHONPATH": os.pathsep.join(map(str, self._packages)),
            **self._more,
        }

    def secrets(self) -> dict[str, str]:
        """What the inception kept for later starts: the key that the agent's own keys are sealed with."""
        lines = (self.folder / ".env").read_text().splitlines()
        return {name: value.strip('"') for name, found, value in (line.partition("=") for line in lines) if found}

    def incept(self) -> Home:
        """Make the agents; a model must be listening. None is a test agent: what needs an approval waits for one."""
        self._settle()
        for agent in self.agents:
            self._run(self._python.with_name("kestrel"), "create", agent, "--port", str(_free_port()))
        return self

    def incept_for_tests(self) -> Home:
        """Make a test agent of the first name, and ask no model: whoever writes `inception.py` vouches for it."""
        self._settle()
        self._run(self._python, _INCEPTION, self.folder, self.agents[0])
        return self

    def come_from(self, other: Home) -> Home:
        """Be what another home is that has been incepted, and takes as long to make as all the rest."""
        shutil.copytree(other.folder, self.folder, dirs_exist_ok=True)
        self._settle()
        return self

    @contextmanager
    def serving(self) -> Iterator[Client]:
        """A server over this home, and a client of it. It is told to stop, and killed if it does not.

        Raises:
            AssertionError: It does not come up; with the end of its log.
        """
        _forget_models()
        port = self._port or _free_port()
        base = f"http://127.0.0.1:{port}"
        named = ", ".join(f'"{each}"' for each in self.features)
        agents = [_AGENT.format(agent=agent, unused=_free_port(), features=named) for agent in self.agents]
        self._write("multi_agent.toml", "".join([_AGENTS.format(port=port), *agents]))
        settings = {
            "KESTREL_MULTI_AGENT": "true",
            "KESTREL_MULTI_AGENT_CONFIG": str(self.folder / "multi_agent.toml"),
            "KESTREL_SERVE_UI": "true",
        }
        program = [self._python, "-m", "uvicorn", "kestrel_sovereign.server:app", "--host", "127.0.0.1"]
        with self.log.open("ab") as log:
            self._server = subprocess.Popen(  # a session of its own, so that all it starts can be ended with it
                [*program, "--port", str(port)],
                env=self.environ | settings,
                cwd=self.folder,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        try:
            client = Client(base, self._key, AGENT)
            self._await(self._server, client)
            yield client
        finally:
            self._server.terminate()
            with suppress(subprocess.TimeoutExpired):
                self._server.wait(_STOP)
            self.kill()

    def _await(self, server: subprocess.Popen[bytes], client: Client) -> None:
        deadline = time.monotonic() + _START
        while not client.is_ready():
            if server.poll() is not None or time.monotonic() > deadline:
                raise AssertionError(f"the host does not come up:\n{self.log.read_text()[-6000:]}")
            time.sleep(0.1)

    def _run(self, *program: str | Path) -> None:
        made = subprocess.run(
            program,
            env=self.environ,
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
            text=True,
        )
        assert made.returncode == 0, made.stdout + made.stderr

    def _settle(self) -> None:
        _forget_models()
        self._write("kestrel.toml", _SETTINGS.format(model=self._model, context=self.context))

    def _write(self, name: str, text: str) -> None:
        (self.folder / name).write_text(text, encoding="utf-8")


class Host:
    """A server that runs, and the model behind it; it can be started again over the same home."""

    def __init__(self, home: Home, model: ScriptedModel) -> None:
        self.home = home
        self.model = model
        self._stack = ExitStack()
        self._sessions = itertools.count()
        self.client = self._start()

    def restart(self) -> None:
        """Stop it and start it."""
        self.stop()
        self.client = self._start()

    def stop(self) -> None:
        """Stop it."""
        self._stack.close()

    def _start(self) -> Client:
        client = self._stack.enter_context(self.home.serving())
        client.say("!skip-discovery")
        return client

    def play(self, play: Play, *, delegate: str | None = None, decide: Decide | None = None) -> list[Any]:
        """What each call of a script gave, which the model plays in a conversation of its own.

        With `delegate`, a tool that the host makes of a feature, the model hands the script on to that feature's own
        sub-agent. `decide` says of each request for an approval whether it is granted; by default all are.
        """
        script = self.model.script(play)
        asked = script
        if delegate:
            asked = self.model.script([Call(delegate, {"task": script.words})])
        self.client.say(asked.words, session=f"session-{next(self._sessions)}", decide=decide)
        return [json.loads(result) for result in script.results]

    def prompt(self) -> str:
        """The system messages of a turn that begins now."""
        before = len(self.model.asked)
        self.client.say("What is there?", session=f"session-{next(self._sessions)}")
        (system,) = {each.system for each in self.model.asked[before:] if "user_input" in json.dumps(each.body)}
        return system


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
