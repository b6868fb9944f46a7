"""Values and rules: pure, no clock, no disk, no loop."""
