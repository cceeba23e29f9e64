"""Rules about more than one setting: rows under `mappings/`, and the checks that a row cannot hold."""
