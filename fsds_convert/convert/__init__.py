"""A file of one engine -> files of another, with a report."""
