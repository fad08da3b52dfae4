"""The routes of the API, each a doorway: parse, call one desk, answer."""
