"""Pages of others in the same browser: what they make it send does nothing, and they read no answer."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Final

import pytest

from .places import API, Desktop
from .test_panel import row

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.e2e

_ATTEMPTS: Final = """async ([target, key]) => {
  const sent = [];
  const attempt = async (name, address, options) => {
    try {
      const answer = await fetch(address, options);
      sent.push([name, answer.type === 'opaque' ? 'opaque' : `read ${answer.status}`]);
    } catch {
      sent.push([name, 'refused']);
    }
  };
  const body = '{"name":"x","description":"x","body":"x"}';
  const told = { Authorization: `Bearer ${key}`, 'X-API-Key': key };
  await attempt('look', target, {});
  await attempt('look with the key', target, { headers: told });
  await attempt('post nothing', `${target}/reload`, { method: 'POST', mode: 'no-cors' });
  await attempt('post text', target, { method: 'POST', mode: 'no-cors', body });
  await attempt('post JSON', target, {
    method: 'POST', headers: { ...told, 'Content-Type': 'application/json', 'X-Kestrel-Request': 'x' },
    body,
  });
  await attempt('delete', `${target}/pdf-forms`, { method: 'DELETE', headers: { ...told, 'If-Match': '"x"' } });
  return sent;
}"""
_FORM: Final = """([action, kind]) => {
  const form = document.createElement('form');
  Object.assign(form, { action, method: 'post', enctype: kind });
  const field = document.createElement('input');
  Object.assign(field, { name: '{"name":"x","description":"x","body":"', value: '"}' });
  form.append(field);
  document.body.append(form);
  form.submit();
}"""
_FRAME: Final = """(address) => new Promise((resolve) => {
  const frame = document.createElement('iframe');
  frame.addEventListener('load', () => {
    let seen = 'nothing';
    try { seen = frame.contentDocument?.body.innerText ?? 'nothing'; } catch { seen = 'nothing'; }
    resolve([seen, frame.contentWindow.length]);
  });
  frame.src = address;
  document.body.append(frame);
})"""


class _Page(BaseHTTPRequestHandler):
    """An empty page."""

    def do_GET(self) -> None:
        """Show it."""
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(b"<!doctype html><title>theirs</title>")

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def theirs(browser: Browser) -> Iterator[Page]:
    """A page of another origin: another port of this machine, which is the nearest that there is."""
    with ThreadingHTTPServer(("127.0.0.1", 0), _Page) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        context = browser.new_context()
        page = context.new_page()
        page.goto(f"http://127.0.0.1:{server.server_port}/")
        yield page
        context.close()
        server.shutdown()
        thread.join()


def everything(desktop: Desktop) -> dict[str, bytes]:
    """The files of all skills."""
    roots = (desktop.skills, desktop.shared)
    found = [path for root in roots for path in root.rglob("*") if path.is_file() and ".kestrel" not in str(path)]
    return {str(path): path.read_bytes() for path in found}


def test_a_page_of_another_origin_changes_nothing_and_reads_nothing(desktop: Desktop, theirs: Page) -> None:
    """Not even with the key: what it may send without asking is refused, and what it has to ask for is not granted."""
    before = everything(desktop)
    sent = theirs.evaluate(_ATTEMPTS, [desktop.api, desktop.key])
    assert [name for name, came in sent if came not in ("refused", "opaque")] == []
    assert len(sent) == 6
    assert everything(desktop) == before
    page = desktop.open()
    row(page, "pdf-forms").wait_for()
    assert page.evaluate(_ATTEMPTS, [desktop.api, desktop.key])[1] == ["look with the key", "read 200"]


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"])
def test_a_form_of_another_origin_is_refused(desktop: Desktop, theirs: Page, kind: str) -> None:
    """Though the person's own browser sends it."""
    before = everything(desktop)
    with theirs.expect_response(lambda answer: answer.request.method == "POST") as answer:
        theirs.evaluate(_FORM, [desktop.api, kind])
    assert answer.value.status in (401, 403)
    assert everything(desktop) == before


def test_nobody_puts_a_frame_around_the_page(page_desktop: Desktop, theirs: Page) -> None:
    """So that no click is stolen. The Console is the host's own page, of which the host decides."""
    seen, frames = theirs.evaluate(_FRAME, page_desktop.address)
    assert (seen, frames) == ("nothing", 0)
    assert theirs.frames[-1].url.startswith("chrome-error:")


def test_a_name_that_was_made_to_lead_here_is_not_answered(page_desktop: Desktop, browser: Browser) -> None:
    """DNS rebinding: their name is this machine's now, so that the browser takes the server for theirs."""
    context = browser.new_context()
    page = context.new_page()
    rebound = page_desktop.address.replace("127.0.0.1", "rebound.example")
    answer = page.goto(rebound)
    assert answer is not None
    assert answer.status == 421
    ask = "async ([path, key]) => (await fetch(path, { headers: { Authorization: `Bearer ${key}` } })).status"
    assert page.evaluate(ask, [API, page_desktop.key]) == 421
    context.close()
