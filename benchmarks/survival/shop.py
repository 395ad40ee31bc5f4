"""Shopping in a browser, made of a seed: snapshots with refs, forms, a cart; later steps use what
was seen before.
"""

from __future__ import annotations

import json
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple

from benchmarks.survival.runs import SHOP, Run

if TYPE_CHECKING:
    from collections.abc import Iterator

    from benchmarks.survival.reading import Chat

TRIPS = 12
_LETTERS, _DIGITS = "ABCDEFGHJKLMNPQRSTUVWXYZ", "0123456789"
_THINGS = "lamp kettle backpack notebook headset keyboard jacket bottle clock blanket speaker camera".split()
_ADJECTIVES = (
    "Nordic Compact Travel Classic Silent Urban Alpine Ivory Carbon Velvet Coral Amber".split()
)
_FIRST, _LAST = (
    "Mara Tovi Lenn Anouk Ridge Paloma Idris Sunniva".split(),
    "Ostrom Veldt Kairo Brandt Quill Marsh".split(),
)
_STREETS = "Alder Kiln Harbor Meadow Foundry Orchard".split()


class Product(NamedTuple):
    name: str
    code: str
    price: str
    ref: str


class Shop:
    """One shop and everything in it that has a name."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.refs = self.random.randrange(10, 60)
        self.host = f"https://{self._word()}.example"
        self.user = (
            f"{self.random.choice(_FIRST).lower()}.{self._code('', 4)}@{self._word()}.example"
        )
        self.coupon = self._code("SAVE", 4)
        self.name = f"{self.random.choice(_FIRST)} {self.random.choice(_LAST)}"
        self.street = f"{self.random.randrange(10, 900)} {self.random.choice(_STREETS)} Street"
        self.zip = f"{self.random.randrange(10000, 99999)}"
        self.order = self._code("ORD-", 6)
        self.tracking = self._code("TRK", 8)
        self.popular = [
            f"{self.random.choice(_ADJECTIVES)} {self.random.choice(_THINGS)}" for _ in range(20)
        ]
        self.products = [self._product() for _ in range(24)]

    def ref(self) -> str:
        self.refs += self.random.randrange(1, 4)
        return f"e{self.refs}"

    def _product(self) -> Product:
        name = (
            f"{self.random.choice(_ADJECTIVES)} {self.random.choice(_THINGS)} {self._code('', 2)}"
        )
        return Product(
            name,
            self._code("SKU-", 5),
            f"{self.random.randrange(12, 400)}.{self.random.randrange(10, 99)}",
            self.ref(),
        )

    def _code(self, start: str, digits: int) -> str:
        return (
            start
            + self.random.choice(_LETTERS)
            + "".join(self.random.choice(_DIGITS) for _ in range(digits))
        )

    def _word(self) -> str:
        return "".join(
            self.random.choice("bdfgklmnprstv") + self.random.choice("aeiou") for _ in range(4)
        )


class Trip:
    """A chat of steps, each with its call and its snapshot."""

    def __init__(self, shop: Shop) -> None:
        self.shop = shop
        self.chat: Chat = []

    def step(self, said: str, tool: str, given: dict[str, Any], page: str) -> None:
        call = f"call_{len(self.chat):06d}"
        function = {"name": f"browser_{tool}", "arguments": json.dumps(given)}
        self.chat.append(
            {
                "role": "assistant",
                "content": said,
                "tool_calls": [{"id": call, "type": "function", "function": function}],
            }
        )
        self.chat.append({"role": "tool", "tool_call_id": call, "content": page})

    def open(self, path: str, title: str, lines: list[str], said: str = "") -> None:
        url = self.shop.host + path
        self.step(said or f"Open {title}.", "navigate", {"url": url}, self.page(path, title, lines))

    def click(self, what: str, ref: str, path: str, title: str, lines: list[str]) -> None:
        self.step(
            f"Click {what}.", "click", {"element": what, "ref": ref}, self.page(path, title, lines)
        )

    def type(self, what: str, ref: str, text: str) -> None:
        self.step(
            f"Fill in {what}.",
            "type",
            {"element": what, "ref": ref, "text": text},
            "### Result\nTyped.",
        )

    def page(self, path: str, title: str, lines: list[str]) -> str:
        shop = self.shop
        menu = [
            f'  - link "{name}" [ref={shop.ref()}] [cursor=pointer]'
            for name in ("Home", "Deals", "Cart", "Account", "Help")
        ]
        foot = [
            f"  - paragraph [ref={shop.ref()}]: {text}"
            for text in ("Free returns within 30 days", "All prices include tax")
        ]
        also = ["- complementary:", *("  " + line for line in self._also())]
        body = [
            "- banner:",
            *menu,
            "- main:",
            *("  " + line for line in lines),
            *also,
            "- contentinfo:",
            *foot,
        ]
        noise = f"- 2 errors and {shop.random.randrange(3, 40)} messages in the console"
        return "\n".join(
            [
                "### Page state",
                f"- Page URL: {shop.host}{path}",
                f"- Page Title: {title}",
                noise,
                "- Page Snapshot:",
                "```yaml",
                *body,
                "```",
            ]
        )

    def _also(self) -> Iterator[str]:
        """What every page shows beside, and nobody needs."""
        shop = self.shop
        for name in shop.popular:
            yield f"- generic [ref={shop.ref()}]:"
            yield f'  - img "{name}, from the front" [ref={shop.ref()}]'
            yield f'  - link "{name}" [ref={shop.ref()}] [cursor=pointer]'
            yield f"  - generic [ref={shop.ref()}]: {shop.random.randrange(2, 900)} others looked at it"


def shopping() -> Iterator[Run]:
    for seed in range(TRIPS):
        yield Run(SHOP, f"trip-{seed}", SHOP, trip(Shop(seed)))


def trip(shop: Shop) -> Chat:
    """Read the account and the deals, look around, fill the cart from memory, check out, ask where
    it is.
    """
    made = Trip(shop)
    task = "Buy three things with the coupon of the deals page, sent to my address, and ask where they are."
    made.chat += [
        {"role": "system", "content": "You use a browser."},
        {"role": "user", "content": f"{task} Shop: {shop.host}"},
    ]
    _account(made)
    wanted = shop.random.sample(shop.products, 3)
    for start in range(0, len(shop.products), 6):
        rows = shop.products[start : start + 6]
        made.open(
            f"/list/{start // 6 + 1}",
            f"All things, page {start // 6 + 1}",
            [_row(one) for one in rows],
        )
    for one in wanted:
        made.step("Back to the list.", "navigate_back", {}, "### Result\nThe list is shown.")
        page = [f'- heading "{one.name}"', f"- text: {one.price} EUR", _button(shop, "Add to cart")]
        made.click(one.name, one.ref, f"/thing/{one.code}", one.name, page)
        made.step(
            "Into the cart.",
            "evaluate",
            {"function": f"() => cart.add('{one.code}', 1)"},
            "### Result\ntrue",
        )
        _look_around(made)
    _check_out(made)
    return made.chat


def _account(made: Trip) -> None:
    shop = made.shop
    address = [
        f'- textbox "Name": {shop.name}',
        f'- textbox "Street": {shop.street}',
        f'- textbox "Zip": "{shop.zip}"',
    ]
    made.open(
        "/account",
        "Account",
        [f"- text: Signed in as {shop.user}", *address, _button(shop, "Edit")],
    )
    deals = [
        f"- listitem [ref={shop.ref()}]: {name}"
        for name in ("Two for one on lamps", f"10 % off with {shop.coupon}", "Gift cards")
    ]
    made.open("/deals", "Deals", deals)


def _look_around(made: Trip) -> None:
    shop = made.shop
    for _ in range(shop.random.randrange(2, 5)):
        one = shop.random.choice(shop.products)
        reviews = [
            f"- listitem [ref={shop.ref()}]: {shop.random.choice(_FIRST)} gave {shop.random.randrange(1, 6)} stars"
            for _ in range(12)
        ]
        made.open(
            f"/reviews/{shop.random.randrange(1000, 9999)}",
            "Reviews",
            reviews,
            "See what others say.",
        )
    warnings = [f"[WARNING] {one.name} image is late @ {shop.host}/app.js:{n}" for n in range(20)]
    made.step("Anything wrong?", "console_messages", {}, "\n".join(warnings))


def _check_out(made: Trip) -> None:
    shop = made.shop
    fields = {
        "Name": shop.name,
        "Street": shop.street,
        "Zip": shop.zip,
        "E-mail": shop.user,
        "Coupon": shop.coupon,
    }
    refs = {name: shop.ref() for name in fields}
    made.open(
        "/checkout", "Checkout", [f'- textbox "{name}" [ref={ref}]' for name, ref in refs.items()]
    )
    for name, text in fields.items():
        made.type(name, refs[name], text)
    done = shop.ref()
    made.open("/overview", "Overview", [f'- button "Place order" [ref={done}]'])
    made.click(
        "Place order",
        done,
        "/thanks",
        "Thank you",
        [f'- heading "Order {shop.order}"', f"- text: Parcel {shop.tracking}"],
    )
    _look_around(made)
    made.open("/help", "Help", [_button(shop, "Track")])
    made.step(
        "Ask for the order.",
        "evaluate",
        {"function": f"() => track('{shop.order}', '{shop.tracking}')"},
        "### Result\non its way",
    )


def _row(one: Product) -> str:
    return f'- link "{one.name}" [ref={one.ref}]: {one.price} EUR, article {one.code}'


def _button(shop: Shop, name: str) -> str:
    return f'- button "{name}" [ref={shop.ref()}] [cursor=pointer]'
