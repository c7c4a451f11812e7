"""What each command finds out, as data: one model a command. The JSON, its schema and docs/json.md follow from them."""
