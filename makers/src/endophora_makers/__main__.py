"""``python -m endophora_makers``."""

from endophora_makers.command import main

main()
