"""Recorded runs of real agents, as numbers: what the model said in each turn, and what came back.

Three sessions of Claude Code from public repositories (MIT), counted by o200k_base; none of their words.
"""

from __future__ import annotations

from director_ctx.base.errors import DctxError
from director_ctx.history.sessions.run_shape import RunShape, RunTurn

_SHAPES = {
    "short": """
        754 237+14099 229+653 57+10454 74+5525 436+28 249+32 186+28 210+29 181+28 245+31 226+31 207+28 253+1736
        480+32 194+28 227+33 184+28 62+24 35+275 179+28 325+0
    """,
    "usual": """
        3898 89+557 43+39 131+8634 155+9901 63+11683 105+28 1559+937 140+500 61+484 72+2289 71+9216 71+10464
        127+28 117+28 1495+24 270+14 55+278 84+5623 64+3267 339+337 124+422 118+1044 2843+2826 82+158 143+164
        78+434 317+21 609+8 270+28 84+270 431+402 594+541 175+28 61+177 92+247 112+28 325+9 117+2747 477+686
        517+151 154+248 239+305 233+255 221+178 59+265 181+192 118+159 140+562
    """,
    "long": """
        38 115+1523 228+18444 211+20060 71+1130 82+13740 1931+30 86+8639 391+26 472+26 61+1097 308+14 68+1604
        1014+37 141+792 372+14 222+2130 645+70 78+833 75+1135 127+38 42+84 71+5525 2165+38 129+1136 283+38
        188+3159 44+904 234+3254 1100+5 148+16399 201+4205 2520+36 495+35 378+38 75+2510 61+420 340+107 100+3
        58+2094 114+1032 106+897 138+312 96+593 115+690 95+757 292+666 1057+35 125+1 133+968 90+49 553+34 591+35
        55+0 184+119 458+1713 768+1 72+414 587+33 88+42 56+552 613+84 58+27 66+8032 2024+34 69+2465 1748+34
        1580+34 60+2269 83+552 300+7 454+70 837+21 111+911 41+901 73+245 558+5 145+736 910+33 99+2526 2996+34
        52+428 67+552 252+22 111+139 153+1 111+3334 81+811 419+1 143+99 1138+34 58+1259 83+139 161+79 71+1368
        501+33 86+1651 160+1151 146+362 221+3 62+3756
    """,
}
"""By name: what was said before the first answer, then for each turn the answer and what came back."""

RUNS = tuple(_SHAPES)
USUAL = "usual"


def recorded_run(name: str) -> RunShape:
    """The run of that name."""
    numbers = _SHAPES.get(name)
    if numbers is None:
        raise DctxError(f"There is no recorded run {name!r}.", f"There are: {', '.join(RUNS)}.")
    begin, *pairs = numbers.split()
    turns = []
    for pair in pairs:
        answer, _, results = pair.partition("+")
        turns.append(RunTurn(int(answer), int(results)))
    return RunShape(int(begin), tuple(turns))
