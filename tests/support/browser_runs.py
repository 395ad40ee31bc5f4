"""Runs of an agent in a browser, as a server of browser tools writes them: made up, and the same
for the same seed.
"""

from __future__ import annotations

import json
import random
from typing import Any

SITE = "https://shop.example.org"
WARES = (
    "Lamp",
    "Chair",
    "Desk",
    "Kettle",
    "Clock",
    "Rug",
    "Mirror",
    "Vase",
    "Shelf",
    "Stool",
    "Basket",
    "Frame",
)


class Shop:
    """A shop whose pages are trees of roles, names and references."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.wares = [
            (f"{name} {self.random.randint(100, 999)}", self.random.randint(5, 300))
            for name in WARES
        ]
        self.praise = [self.filler() for _ in WARES]
        self.small_print = [self.filler() for _ in range(12)]
        self.bought = 0

    def page(self, where: str, body: list[str]) -> str:
        head = ["- generic [ref=e2]:", "  - banner [ref=e3]:", "    - generic [ref=e4]:"]
        for i, name in enumerate(("Home", "Offers", f"Cart ({self.bought})", "Account")):
            head += [
                f'      - link "{name}" [ref=e{10 + i}] [cursor=pointer]:',
                f"        - /url: /{name.lower()}",
            ]
        foot = [
            "  - contentinfo [ref=e900]:",
            "    - generic [ref=e901]:",
            "      - generic [ref=e902]:",
        ]
        for i, text in enumerate(self.small_print):
            foot += [f"        - paragraph [ref=e{910 + i}]:", f"          - text: {text}"]
        tree = "\n".join([*head, "  - main [ref=e5]:", *body, *foot])
        return f"- Page URL: {SITE}{where}\n- Page Title: Shop {where}\n- Page Snapshot:\n```yaml\n{tree}\n```"

    def filler(self) -> str:
        words = "we deliver quickly and with care so that every room feels like home for years and you return it free"
        return " ".join(self.random.choices(words.split(), k=12))

    def listing(self) -> str:
        body = []
        for i, (name, price) in enumerate(self.wares):
            body += [
                f"    - generic [ref=e{100 + 10 * i}]:",
                f"      - generic [ref=e{101 + 10 * i}]:",
            ]
            body += [f'        - heading "{name}" [level=3] [ref=e{102 + 10 * i}]']
            body += [f"        - paragraph [ref=e{103 + 10 * i}]: {self.praise[i]}"]
            body += [f"        - generic [ref=e{104 + 10 * i}]: ${price}.00"]
            body += [
                f'        - button "Add {name} to cart" [ref=e{105 + 10 * i}] [cursor=pointer]'
            ]
        return self.page("/", body)

    def form(self, where: str, fields: list[str]) -> str:
        body = ["    - generic [ref=e50]:", "      - generic [ref=e51]:"]
        for i, name in enumerate(fields):
            body += [
                f"        - generic [ref=e{60 + 3 * i}]:",
                f'          - textbox "{name}" [ref=e{61 + 3 * i}]',
            ]
        return self.page(where, [*body, '        - button "Continue" [ref=e99]'])


def console(shop: Shop) -> str:
    lines = [
        f"[LOG] rendered part {shop.random.randint(1, 9)} @ {SITE}/app.js:{n}" for n in range(30)
    ]
    lines += [f"[WARNING] image without a size @ {SITE}/app.js:77"] * 6
    lines += [f"[ERROR] Failed to load resource: 404 @ {SITE}/missing.png:0"] * 2
    return "\n".join(lines)


def browser_run(rounds: int = 4, seed: int = 7) -> list[dict[str, Any]]:
    """Logs in, puts things into the cart and orders them: OpenAI Chat messages."""
    shop = Shop(seed)
    made: list[dict[str, Any]] = [
        {"role": "system", "content": "You test a shop in a browser."},
        {
            "role": "user",
            "content": "Log in as ann@example.org, buy what is on the list, and report the order number.",
        },
    ]

    def act(said: str, tool: str, arguments: dict[str, Any], result: str) -> None:
        name = f"call_{len(made)}"
        function = {"name": tool, "arguments": json.dumps(arguments)}
        made.append(
            {
                "role": "assistant",
                "content": said,
                "tool_calls": [{"id": name, "type": "function", "function": function}],
            }
        )
        made.append({"role": "tool", "tool_call_id": name, "content": result})

    act(
        "I start with the login.",
        "browser_navigate",
        {"url": f"{SITE}/login"},
        shop.form("/login", ["E-mail", "Password"]),
    )
    act(
        "I fill in the e-mail.",
        "browser_type",
        {"element": "E-mail", "ref": "e61", "text": "ann@example.org"},
        "Typed.",
    )
    act(
        "And the password.",
        "browser_type",
        {"element": "Password", "ref": "e64", "text": "secret"},
        "Typed.",
    )
    act(
        "I go on.",
        "browser_click",
        {"element": "Continue", "ref": "e99"},
        "You are logged in.\n" + shop.listing(),
    )
    for turn in range(rounds):
        chosen = shop.random.randrange(len(WARES))
        name = shop.wares[chosen][0]
        act("I look at the offers.", "browser_snapshot", {}, shop.listing())
        shop.bought += 1
        button = {"element": f"Add {name} to cart", "ref": f"e{105 + 10 * chosen}"}
        answer = f"Cart updated: {turn + 1} items.\n" + shop.listing()
        act(f"I add {name} to the cart.", "browser_click", button, answer)
        act("What does the console say?", "browser_console_messages", {}, console(shop))
    act("Now let's go to the checkout.", "browser_navigate", {"url": f"{SITE}/checkout"},
        shop.form("/checkout", ["Street", "City", "Postcode", "Card"]))  # fmt: skip
    for ref, field, text in (
        ("e61", "Street", "1 Elm Road"),
        ("e64", "City", "Ulm"),
        ("e67", "Postcode", "89073"),
    ):
        act(
            f"I fill in the {field}.",
            "browser_type",
            {"element": field, "ref": ref, "text": text},
            "Typed.",
        )
    act("I order.", "browser_click", {"element": "Continue", "ref": "e99"},
        "Order completed: number 4711-ULM.\n" + shop.form("/done", []))  # fmt: skip
    return made
