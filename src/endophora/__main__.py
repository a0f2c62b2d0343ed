"""``python -m endophora``: the command line."""

from endophora.cli import main

if __name__ == "__main__":
    main()
