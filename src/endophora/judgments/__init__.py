"""Judgments: whether a text makes the choice that the context asks for, whatever words it makes it with."""
