"""Can everything that is written in a picture be read?"""

from itertools import combinations

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.text import Text


def written(figure):
    """The texts that are drawn, tick labels included, with the places that they take, in pixels."""
    found, draw = [], Text.draw

    def record(text, renderer, *arguments, **options):
        draw(text, renderer, *arguments, **options)
        if text.get_visible() and text.get_text().strip():
            found.append((text.get_text(), text.get_window_extent(renderer)))

    Text.draw = record
    try:
        FigureCanvasAgg(figure).draw()
    finally:
        Text.draw = draw
    return found


def faults(figure, slack=1.0):
    """Pairs of texts that overlap by more pixels than `slack`, and texts that the picture cuts off."""
    texts = written(figure)
    found = [f"{text!r} is cut off" for text, box in texts if not _inside(box, figure.bbox, slack)]
    for (text, box), (other, place) in combinations(texts, 2):
        width = min(box.x1, place.x1) - max(box.x0, place.x0)
        height = min(box.y1, place.y1) - max(box.y0, place.y0)
        if width > slack and height > slack:
            found.append(f"{text!r} and {other!r} overlap by {width:.0f} × {height:.0f}")
    return found


def _inside(box, whole, slack):
    return (
        box.x0 >= whole.x0 - slack
        and box.x1 <= whole.x1 + slack
        and box.y0 >= whole.y0 - slack
        and box.y1 <= whole.y1 + slack
    )
