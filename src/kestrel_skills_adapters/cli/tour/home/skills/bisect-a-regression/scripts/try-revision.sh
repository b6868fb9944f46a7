#!/bin/sh
# One step of `git bisect run`: 0 good, 1 bad, 125 cannot tell, 128 or more stops the bisection.
set -u

git clean -fdxq -e .venv || exit 128

# Build. A revision that does not build tells nothing.
make -s >/tmp/bisect-build.log 2>&1 || exit 125

# Try often enough that a pass means something.
tries=${TRIES:-1}
while [ "$tries" -gt 0 ]; do
  timeout 60 ./run-the-symptom || exit 1
  tries=$((tries - 1))
done
exit 0
