#!/bin/sh
# The subjects of what was merged since the last tag, oldest first, for a changelog.
set -eu

last=$(git describe --tags --abbrev=0)
echo "since $last:"
git log --first-parent --reverse --format='- %s (%h)' "$last..HEAD"
