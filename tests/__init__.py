"""The tests, in the folders of what they test; `contracts` holds one suite for each port."""
