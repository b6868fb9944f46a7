#!/bin/sh
# Runs one live suite against a real host: `run-live-suite.sh --help` says which there are, and what they need.
cd "$(dirname "$0")/../.." && exec "${PYTHON:-python3}" -m tests.e2e.live "$@"
