"""Checks of files: which are config files, what is wrong in them, what is suppressed, and the mend."""
