"""Settings of Sphinx; packaging/site/pages.py calls it."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "src"))

from endophora.version import __version__

project = "endophora"
author = "The endophora developers"
version = release = __version__
html_title = f"endophora {__version__}"
html_theme = "furo"
html_favicon = "static/favicon.svg"
html_show_sourcelink = html_show_copyright = html_use_index = False
html_copy_source = False
templates_path = ["templates"]
html_static_path = ["static"]
html_css_files = ["site.css"]
html_js_files = [("site.js", {"defer": "defer"})]
smartquotes = False
extensions = ["myst_parser"]
myst_heading_anchors = 6
myst_enable_extensions = []
# Some pages begin a table of their own under a deeper heading; console transcripts are no language.
suppress_warnings = ["myst.header", "misc.highlighting_failure"]
