"""How somebody begins: a folder, a client, a first look."""
