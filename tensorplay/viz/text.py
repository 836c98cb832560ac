"""Untrusted text made safe for XML, HTML and DOT, and measured so that it fits its box.

Names come from users: a name may hold brackets, quotes, backslashes, control characters or half an emoji. What no
format can carry is shown as U+FFFD; everything else arrives as it was written.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

__all__ = ["attribute", "clean", "dot_string", "fit", "one_line", "short", "text_width", "xml"]

LOST = "\ufffd"

# Control characters, surrogate halves and the two non-characters that XML forbids; tab and newline stay.
_FORBIDDEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
# Marks that reorder the text after them could make a box say something else than what was written.
_REORDERING = re.compile("[\u202a-\u202e\u2066-\u2069]")


def clean(text: str) -> str:
    """The text without what no file format can carry.

    >>> clean("nul\\x00") == "nul\ufffd"
    True
    """
    return _FORBIDDEN.sub(LOST, text.replace("\r\n", "\n"))


def one_line(text: str) -> str:
    """The text as it is drawn: on one line, reading in the order it was written.

    >>> one_line("a\\nb")
    'a↵b'
    """
    return _REORDERING.sub(LOST, clean(text)).replace("\n", "↵").replace("\t", " ").replace("\u2028", "↵")


def short(text: str, most: int = 60) -> str:
    """A text that can stand in a sentence: its beginning and an ellipsis if it is longer than `most` characters.

    >>> short("weight"), short("x" * 1000, 5)
    ('weight', 'xxxx…')
    """
    return text if len(text) <= most else text[: most - 1] + "…"


def xml(text: str) -> str:
    """Escape for the text of an XML or HTML element.

    >>> xml('a & b < "c"')
    'a &amp; b &lt; "c"'
    """
    return clean(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def attribute(text: str) -> str:
    """Escape for the inside of a double-quoted attribute; newlines survive.

    >>> attribute('say "hi"')
    'say &quot;hi&quot;'
    """
    return xml(text).replace('"', "&quot;").replace("'", "&#39;").replace("\n", "&#10;").replace("\t", "&#9;")


def dot_string(text: str) -> str:
    """A quoted DOT string whose label shows exactly this text.

    The quotes keep `<b>` from being read as HTML; doubled backslashes keep `\\N` from being replaced by the node's
    name; `&` is escaped because Graphviz reads HTML entities in every label.

    >>> print(dot_string('say "hi" \\\\ a & b'))
    "say \\"hi\\" \\\\ a &amp; b"
    """
    escaped = clean(text).replace("\\", "\\\\").replace('"', '\\"').replace("&", "&amp;")
    return '"' + escaped.replace("\n", "\\n").replace("\t", " ") + '"'


# ------------------------------------------------------------------------------------------- measuring

# Advance widths of the printable ASCII characters, in hundredths of the font size, of DejaVu Sans: the widest of
# the fonts that `theme.FONT` may come to, so what fits here fits everywhere.
_REGULAR = (
    "32 40 46 84 64 95 78 27 39 39 50 84 32 36 32 34 64 64 64 64 64 64 64 64 64 64 34 34 84 84 84 53 "
    "100 68 69 70 77 63 58 77 75 29 56 66 56 86 75 79 60 79 69 63 61 73 68 99 69 61 69 39 34 39 84 50 "
    "50 61 63 55 63 62 35 63 63 28 28 58 28 97 63 61 63 63 41 52 39 63 59 82 59 59 52 64 34 64 84"
)
_BOLD = (
    "35 46 52 84 70 100 87 31 46 46 52 84 38 42 38 37 70 70 70 70 70 70 70 70 70 70 40 40 84 84 84 61 "
    "100 77 76 73 83 68 68 82 84 37 56 77 64 100 84 85 73 85 77 72 68 81 77 110 77 72 73 46 37 46 84 56 "
    "50 67 72 59 72 68 44 72 71 34 34 67 34 104 71 69 72 72 49 60 56 71 65 92 65 65 58 71 37 71 84"
)
_WIDTHS = tuple(tuple(int(w) / 100 for w in table.split()) for table in (_REGULAR, _BOLD))


@lru_cache(maxsize=4096)
def _advance(char: str, bold: bool) -> float:
    code = ord(char)
    if 32 <= code < 127:
        return _WIDTHS[bold][code - 32]
    if unicodedata.category(char) in ("Mn", "Me", "Cf"):
        return 0.0
    if code >= 0x1F000:
        return 1.4  # emoji are drawn larger than letters by several systems
    if unicodedata.east_asian_width(char) in ("W", "F"):
        return 1.05
    if char in "×·−–…∑∂↵":
        return 1.0
    return 1.3 if bold else 1.1


def text_width(text: str, size: float, bold: bool = False) -> float:
    """How wide the text may come out, in pixels, at a font size: never less than it really is in a usual font.

    >>> text_width("loss", 10) < text_width("loss", 10, bold=True) < text_width("losses", 10, bold=True)
    True
    """
    return size * sum(_advance(char, bold) for char in text)


def fit(text: str, size: float, width: float, bold: bool = False) -> str:
    """The text if it fits into `width`, else its beginning and an ellipsis.

    >>> fit("weight", 10, 100), fit("a_very_long_name_indeed", 10, 60)
    ('weight', 'a_very_lo…')
    """
    if text_width(text, size, bold) <= width + 0.01:  # the box may have been made for exactly this text
        return text
    room = width - size * _advance("…", bold)
    kept = 0
    for char in text:
        room -= size * _advance(char, bold)
        if room < 0:
            break
        kept += 1
    return text[:kept].rstrip() + "…"
