"""The command line: one command a file; each parses, calls the API and renders."""

try:
    from endophora.cli.starting import main
except KeyboardInterrupt:
    # Signals are not watched before this is imported.
    import os

    os.write(2, "[E362] – stopped by SIGINT; nothing was begun – run the same command again\n".encode())
    os._exit(130)

__all__ = ["main"]
