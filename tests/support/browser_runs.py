"""Runs of an agent in a browser, as a server of browser tools writes them: made up, and the same
for the same seed.
"""

from __future__ import annotations

import random

from histories import Raw, acted, user

SITE = "https://shop.example.org"
WARES = "Lamp Chair Desk Kettle Clock Rug Mirror Vase Shelf Stool Basket Frame".split()


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


def browser_run(rounds: int = 4, seed: int = 7) -> list[Raw]:
    """Logs in, puts things into the cart and orders them: OpenAI Chat messages."""
    shop = Shop(seed)
    task = "Log in as ann@example.org, buy what is on the list, and report the order number."
    made: list[Raw] = [{"role": "system", "content": "You test a shop in a browser."}, *user(task)]

    def act(said: str, tool: str, result: str, **arguments: str) -> None:
        made.extend(acted(f"browser_{tool}", arguments, result, said, f"call_{len(made)}"))

    def go_to(said: str, where: str, *fields: str) -> None:
        act(said, "navigate", shop.form(where, list(fields)), url=SITE + where)

    def fill_in(said: str, element: str, ref: str, text: str) -> None:
        act(said, "type", "Typed.", element=element, ref=ref, text=text)

    go_to("I start with the login.", "/login", "E-mail", "Password")
    fill_in("I fill in the e-mail.", "E-mail", "e61", "ann@example.org")
    fill_in("And the password.", "Password", "e64", "secret")
    listing = "You are logged in.\n" + shop.listing()
    act("I go on.", "click", listing, element="Continue", ref="e99")
    for turn in range(rounds):
        chosen = shop.random.randrange(len(WARES))
        name = shop.wares[chosen][0]
        act("I look at the offers.", "snapshot", shop.listing())
        shop.bought += 1
        button = {"element": f"Add {name} to cart", "ref": f"e{105 + 10 * chosen}"}
        answer = f"Cart updated: {turn + 1} items.\n" + shop.listing()
        act(f"I add {name} to the cart.", "click", answer, **button)
        act("What does the console say?", "console_messages", console(shop))
    go_to("Now let's go to the checkout.", "/checkout", "Street", "City", "Postcode", "Card")
    fill_in("I fill in the Street.", "Street", "e61", "1 Elm Road")
    fill_in("I fill in the City.", "City", "e64", "Ulm")
    fill_in("I fill in the Postcode.", "Postcode", "e67", "89073")
    ordered = "Order completed: number 4711-ULM.\n" + shop.form("/done", [])
    act("I order.", "click", ordered, element="Continue", ref="e99")
    return made
