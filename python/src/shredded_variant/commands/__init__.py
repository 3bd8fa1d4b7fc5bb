"""The command `shredded-variant`."""
