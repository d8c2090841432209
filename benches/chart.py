"""A line chart as SVG: panels beside each other, a logarithmic y axis, one line per name."""

import math
from dataclasses import dataclass
from html import escape

# Told apart by lightness and dash as well as by hue.
STYLES = {
    "verifiers": ("#b2182b", ""),
    "toolwire": ("#2166ac", ""),
    "toolwire segments": ("#67a9cf", ""),
    "floor": ("#555555", "5 4"),
}

WIDTH, HEIGHT = 560, 400
LEFT, RIGHT, TOP, BOTTOM = 70, 16, 62, 48


@dataclass
class Panel:
    title: str
    lines: dict[str, list[float]]


def number(value: float) -> str:
    return f"{value:,.0f}" if value >= 1 else f"{value:g}"


def text(x: float, y: float, words: str, more: str = "") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" {more}>{escape(words)}</text>'


def panel(one: Panel, left: float, low: int, high: int, x_name: str, y_name: str) -> list[str]:
    """Draws one panel whose y axis runs from 10^low to 10^high."""
    turns = max(len(values) for values in one.lines.values())
    width, height = WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM

    def across(turn: float) -> float:
        return left + LEFT + width * turn / turns

    def up(value: float) -> float:
        return TOP + height * (high - math.log10(value)) / (high - low)

    right, bottom = left + WIDTH - RIGHT, TOP + height
    out = [text(left + LEFT, TOP - 14, one.title, 'class="title"')]
    for power in range(low, high + 1):
        y = up(10.0**power)
        out.append(f'<line x1="{left + LEFT}" x2="{right}" y1="{y:.1f}" y2="{y:.1f}" class="grid"/>')
        out.append(text(left + LEFT - 8, y + 4, number(10.0**power), 'text-anchor="end"'))
    step = 10 ** math.floor(math.log10(max(turns, 10))) // 2
    step = step if turns / step <= 8 else step * 2
    for turn in range(0, turns + 1, step):
        out.append(
            f'<line x1="{across(turn):.1f}" x2="{across(turn):.1f}" y1="{bottom}" y2="{bottom + 5}" class="axis"/>'
        )
        out.append(text(across(turn), bottom + 19, str(turn), 'text-anchor="middle"'))
    out.append(f'<path d="M{left + LEFT} {TOP}V{bottom}H{right}" class="axis"/>')
    out.append(text(left + LEFT + width / 2, HEIGHT - 8, x_name, 'text-anchor="middle"'))
    middle = TOP + height / 2
    turned = f'text-anchor="middle" transform="rotate(-90 {left + 14} {middle:.0f})"'
    out.append(text(left + 14, middle, y_name, turned))
    for name, values in one.lines.items():
        colour, dash = STYLES.get(name, ("#1b7837", ""))
        points = " ".join(f"{across(n + 1):.1f},{up(value):.1f}" for n, value in enumerate(values))
        out.append(f'<polyline points="{points}" stroke="{colour}" stroke-dasharray="{dash}" class="line"/>')
    return out


def legend(names: list[str], x: float) -> list[str]:
    out: list[str] = []
    for name in names:
        colour, dash = STYLES.get(name, ("#1b7837", ""))
        line = (
            f'<line x1="{x}" x2="{x + 26}" y1="14" y2="14" stroke="{colour}" stroke-dasharray="{dash}" class="line"/>'
        )
        out += [line, text(x + 32, 18, name)]
        x += 52 + 7 * len(name)
    return out


def draw(panels: list[Panel], x: str, y: str) -> str:
    """The SVG document."""
    values = [value for one in panels for line in one.lines.values() for value in line]
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    body: list[str] = legend(list(panels[0].lines), LEFT)
    for n, one in enumerate(panels):
        body += panel(one, n * WIDTH, low, high, x, y)
    width = WIDTH * len(panels)
    style = (
        "text{font:12px system-ui,sans-serif;fill:#222}.title{font-weight:600;font-size:13px}"
        ".grid{stroke:#ddd}.axis{stroke:#444;fill:none}.line{fill:none;stroke-width:1.6}"
    )
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {HEIGHT}" width="{width}" height="{HEIGHT}">'
    back = f'<rect width="{width}" height="{HEIGHT}" fill="white"/>'
    return "\n".join([head, f"<style>{style}</style>", back, *body, "</svg>", ""])
