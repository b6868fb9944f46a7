"""Prints the SHA-256 of the clause of a fixed catalog, met in an order that the first argument seeds.

Run as a program, under the hash seeds and locales that `test_clause_bytes.py` chooses.
"""

from __future__ import annotations

import hashlib
import random
import sys

from kestrel_skills_core.domain.clause import render_clause
from kestrel_skills_core.domain.document import Head
from kestrel_skills_core.domain.names import Generation, SkillName, SourceId
from kestrel_skills_core.domain.record import Sighting, SkillState, Subject
from kestrel_skills_core.domain.resolver import Resolver, Survey
from kestrel_skills_core.domain.state_row import StateKey

TEXTS = (
    "Plain & simple",
    "\u6f22\u5b57 \u3067 <\u66f8\u304f>",
    "caf\u00e9 \U0001f468\u200d\U0001f469\u200d\U0001f467 'x'",
)


def main(seed: str) -> None:
    """Resolve and render, everything in shuffled order."""
    shuffle = random.Random(seed)
    names = [SkillName(f"skill-{number}") for number in range(60)]
    roots: list[tuple[SourceId, str | None]] = [(SourceId.AGENT_LOCAL, None), (SourceId.HOST_SHARED, "ab" * 32)]
    surveys, states = [], {}
    for source, root in roots:
        shuffle.shuffle(names)
        sightings = {}
        for name in names:
            number = int(name.removeprefix("skill-"))
            generation = Generation(f"{number:064x}")
            head = Head(name, f"{TEXTS[number % 3]} {source} {number}")
            if number % 7 or root:
                sightings[name] = Sighting(folder=name, head=head, generation=generation)
            subject = Subject(root=root) if root else Subject(generation=generation)
            states[StateKey(name, root is not None)] = SkillState(enabled=True, priority=number % 4, subject=subject)
        surveys.append(Survey(source=source, root=root, sightings=sightings))
    shuffle.shuffle(surveys)
    catalog = Resolver().resolve(surveys, dict(shuffle.sample(list(states.items()), len(states))))
    sys.stdout.write(hashlib.sha256(render_clause(catalog.records).text.encode()).hexdigest())


if __name__ == "__main__":
    main(sys.argv[1])
