"""Text -> values with their places, and edits -> text."""
