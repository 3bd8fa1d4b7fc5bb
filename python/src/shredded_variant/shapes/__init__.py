"""The wanted typed tree as a value: it parses, prints, merges and compares."""
