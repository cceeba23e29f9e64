"""Pages about rules, keys and plan fields, made from the tables."""
