"""JSON Schemas for editors and check-jsonschema, made from the tables."""
