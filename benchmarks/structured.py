"""Text that programs write and people paste: a form for each kind, always the same for the same
seed.

The weights of the estimate are fitted to some seeds; the tests hold its bounds on others.
"""

from __future__ import annotations

import base64
import json
import random
import re
from typing import TYPE_CHECKING

from benchmarks.languages import LANGUAGES

if TYPE_CHECKING:
    from collections.abc import Callable

    Maker = Callable[[random.Random], str]

WORDS = (
    "open value list name user order total count path file error request answer start finish index query price table "
    "member status active pending report update create remove check window button message account number server "
    "client token session cache memory buffer timeout retry limit offset page size width height colour label title "
    "note task step goal plan review change history branch commit merge release version package module function class "
    "object string integer boolean parameter option default config environment production development database "
    "connection transaction schema column record customer invoice shipping address city country language currency"
).split()
LETTERS = "abcdefghijklmnopqrstuvwxyz"
EMOJI = "😀😂🎉🚀✅❌🔥👍🐛📝💡🙏🎯⭐🔧"
REPEATED = "-=*_#./+~% !:;<>?@^\"'$(),|&[]`{}abeklnoqswxyzACEMQSXZ0179\n\téš─—"
LINES = 60


def joined(chance: random.Random, by: str) -> str:
    return by.join(chance.choices(WORDS, k=chance.randint(1, 3)))


def words(chance: random.Random, most: int = 9) -> str:
    return " ".join(chance.choices(WORDS, k=chance.randint(2, most)))


def camel(chance: random.Random) -> str:
    return chance.choice(WORDS) + "".join(
        word.title() for word in chance.choices(WORDS, k=chance.randint(0, 2))
    )


def number(chance: random.Random) -> str:
    whole = chance.randrange(10 ** chance.randint(1, 6))
    return chance.choice(
        (str(whole), str(whole), f"{whole % 1000}.{chance.randrange(100):02}", f"-{whole}")
    )


def scalar(chance: random.Random) -> str:
    return FIELDS[chance.choice(("number", "number", "word", "snake", "words"))](chance)


def letters(chance: random.Random) -> str:
    return "".join(chance.choices(LETTERS, k=chance.randint(8, 40)))


def path(chance: random.Random) -> str:
    names = [joined(chance, "_") for _ in range(chance.randint(1, 5))]
    return "/".join(names) + chance.choice((".py", ".md", ".js", "", ".txt"))


def url(chance: random.Random) -> str:
    query = "?$word=$number" if chance.random() < 0.5 else ""
    return fill("https://$host$word.$domain" + "/$kebab" * chance.randint(1, 4) + query, chance)


FIELDS: dict[str, Maker] = {
    "word": lambda chance: chance.choice(WORDS),
    "short": lambda chance: chance.choice(WORDS)[: chance.randint(1, 5)],
    "words": words,
    "snake": lambda chance: joined(chance, "_"),
    "kebab": lambda chance: joined(chance, "-"),
    "dotted": lambda chance: joined(chance, "."),
    "capitals": lambda chance: joined(chance, "_").upper(),
    "shouting": lambda chance: words(chance).upper(),
    "camel": camel,
    "type": lambda chance: camel(chance).title(),
    "title": lambda chance: chance.choice(WORDS).title(),
    "glued": lambda chance: "".join(chance.choices(WORDS, k=chance.randint(1, 4))),
    "sentence": lambda chance: words(chance, 12).capitalize() + chance.choice("...!?:"),
    "number": number,
    "digit": lambda chance: str(chance.randrange(10)),
    "two": lambda chance: f"{chance.randrange(60):02}",
    "byte": lambda chance: str(chance.randrange(256)),
    "float": lambda chance: repr(chance.random()),
    "one": lambda chance: chance.choice("abcxyz0123456789"),
    "hex": lambda chance: f"{chance.randrange(1 << 16):04x}",
    "upperhex": lambda chance: f"{chance.randrange(1 << 16):04X}",
    "row": lambda chance: chance.randbytes(16).hex(" "),
    "letters": letters,
    "bigletters": lambda chance: letters(chance).upper(),
    "mixed": lambda chance: "".join(chance.choices(LETTERS + "0123456789", k=20)),
    "scalar": scalar,
    "json": lambda chance: json.dumps(data(chance)),
    "day": lambda chance: (
        f"20{chance.randint(10, 29)}-{chance.randint(1, 12):02}-{chance.randint(1, 28):02}"
    ),
    "level": lambda chance: chance.choice(("INFO", "DEBUG", "WARNING", "ERROR")),
    "host": lambda chance: chance.choice(("www.", "api.", "")),
    "domain": lambda chance: chance.choice(("com", "org", "io")),
    "path": path,
    "url": url,
    "mark": lambda chance: chance.choice(" x"),
    "list": lambda chance: "  " * chance.randint(0, 4) + chance.choice(("-", "*", "1.")),
    "emoji": lambda chance: chance.choice(EMOJI),
    "branch": lambda chance: "│   " * chance.randrange(3) + chance.choice("├└"),
    "line": lambda chance: "─" * chance.randint(3, 40),
    "rule": lambda chance: chance.choice("-=*_#~+") * chance.randint(10, 90),
    "ends": lambda chance: "\n" * chance.randint(2, 9),
    "tabs": lambda chance: "\t" * chance.randint(1, 6),
    "indent": lambda chance: " " * chance.randrange(40),
    "any": lambda chance: FIELDS[chance.choice(("word", "title", "snake", "camel", "words"))](
        chance
    ),
}
FORMS = {
    "short csv": "$short,$short,$short,$short,$short",
    "tiny csv": "$one,$one,$one,$one,$one,$one",
    "numbers": "$number,$number,$number,$number,$number,$number",
    "spaced numbers": "$number $number $number $number $number $number",
    "floats": "$float,0.$byte,$float",
    "env": "$capitals=$scalar",
    "constants": "$capitals = $scalar",
    "settings": "$snake = $scalar",
    "snake case": "$snake",
    "kebab case": "$kebab",
    "camel case": "$camel",
    "capitals": "$capitals",
    "shouting": "$shouting",
    "titles": "$title",
    "names": "$title $title, $title",
    "long numbers": "$byte$byte$byte$byte",
    "boxes": "┌$line┬$line┐\n│ $word │ $words │",
    "assignments": "$snake = $number;\n$word = $short;\n$one = $digit;",
    "ini": "[$snake]\n$snake = $scalar\n; $words",
    "toml": '[$dotted]\n$snake = "$words"\n$word = [$number]',
    "yaml": "$snake:\n  $kebab: $scalar\n  $word:\n    - $scalar\n    - $scalar",
    "json lines": "$json",
    "markdown": "## $type\n\n$sentence `$snake` [$word]($url)\n",
    "nested list": "$list $sentence",
    "checklist": "- [$mark] $sentence",
    "quotes": "> $sentence\n>",
    "python": "    def $snake(self, $snake: int) -> str:\n        if $snake > $number:\n"
    "            return self.$snake($snake)\n        # $sentence\n        $snake = [$snake($snake, $snake='$words')]\n",
    "javascript": "export const $camel = async ($camel, $camel) => {\n  const $camel = await $camel.$camel('$word');\n"
    "  if (!$camel) { return null; }\n};\n",
    "c": "#define $capitals $number\nstatic int $snake(struct $snake *p, int n)\n{\n\tfor (int i = 0; i < n; i++) {\n"
    "\t\tp->$snake[i] += 0x$hex;\n\t}\n\treturn $snake(&p->$word);\n}\n",
    "rust": "pub fn $snake<'a>($word: &'a str) -> Result<Vec<$type>, Error> {\n    let mut $snake = $word.$snake()?;\n"
    "    Ok($word::new($number))\n}",
    "go": "func (s *$type) $camel(ctx context.Context) error {\n\tif err := $camel.$camel(ctx); err != nil {\n"
    '\t\treturn fmt.Errorf("$words: %w", err)\n\t}\n}',
    "sql": "SELECT $snake, COUNT(*) AS $word FROM $snake WHERE $snake = $number GROUP BY $snake;\n"
    "INSERT INTO $snake VALUES ($number, '$words', NULL);",
    "shell": 'export $capitals="$HOME/$path"\nif [ -f "$HOME/$word" ]; then\n'
    "  $word --$kebab $path | grep -v '$word'\nfi",
    "css": ".$kebab > .$kebab:hover {\n  margin: 0 $bytepx;\n  color: #$hex$two;\n"
    "  background: rgba(0, 0, 0, 0.$digit);\n}",
    "html": '<div class="$kebab" id="$camel">\n  <a href="$url">$words</a>\n  <p>$sentence</p>\n</div>',
    "log": "$day $two:$two:$two,$byte $level [$dotted] $sentence $snake=$number",
    "access log": '$byte.$byte.$byte.$byte - - [$dayT$two:$two:$two] "GET /$path HTTP/1.1" 200 $number',
    "diff": "@@ -$byte,7 +$byte,9 @@ def $snake\n     $snake = $number\n"
    "-    return $snake($word)\n+    return $snake($word, $snake)",
    "trace": '  File "/$path", line $byte, in $snake\n    $snake($snake)',
    "moments": "$dayT$two:$two:$twoZ",
    "days": "$day $two:$two:$two",
    "hex dump": "$hex$hex  $row",
    "hex numbers": "0x$upperhex$upperhex 0x$upperhex$upperhex",
    "sums": "$hex$hex$hex$hex$hex$hex$hex$hex$hex$hex  $path",
    "uuids": "$hex$hex-$hex-$hex-$hex-$hex$hex$hex",
    "urls": "$url",
    "paths": "$path",
    "addresses": "$word.$word@$word.org",
    "versions": "$kebab==$two.$byte.$digit",
    "emoji in words": "$emoji $words",
    "tree": "$branch── $path",
    "typography": "“$words” — $words → $number… • $word\N{RIGHT SINGLE QUOTATION MARK}s",
    "joined words": "$glued",
    "random letters": "$letters",
    "random capitals": "$bigletters",
    "random identifiers": "$mixed",
    "rules": "$rule\n$words",
    "blank lines": "$ends$words",
    "indents": "$indent$word",
    "aligned": "$word          $number       $words",
    "tabs": "$tabs$word",
    "hard breaks": "$words  ",
    **{
        f"lines ended by {mark!r}": f"$any{mark}"
        for mark in ("", " ", "  ", ",", ", ", ";", ".", ":", " \\", "\r")
    },
    **{
        f"short lines ended by {mark!r}": f"$short{mark}"
        for mark in ("", " ", "   ", ",", ";", "\t")
    },
}
"""A line or some; each field is filled anew wherever it stands."""


def fill(form: str, chance: random.Random) -> str:
    return re.sub(NAMED, lambda found: FIELDS[found[1]](chance), form)


NAMED = r"\$(" + "|".join(sorted(FIELDS, key=len, reverse=True)) + ")"


def filled(form: str) -> Maker:
    return lambda chance: "".join(fill(form + "\n", chance) for _ in range(LINES))


def table(begin: str, between: str, end: str) -> Maker:
    """Rows whose columns are each of one kind."""

    def make(chance: random.Random) -> str:
        kinds = chance.choices(
            ("$number", "$number", "$word", "$snake", "$words"), k=chance.randint(3, 8)
        )
        return filled(begin + between.join(kinds) + end)(chance)

    return make


def data(chance: random.Random, depth: int = 2) -> object:
    if not depth:
        return chance.choice(
            (chance.randrange(10**6), round(chance.random() * 100, 2), "open", True, None)
        )
    if chance.random() < 0.3:
        return [data(chance, depth - 1) for _ in range(chance.randint(1, 4))]
    return {joined(chance, "_"): data(chance, depth - 1) for _ in range(chance.randint(2, 5))}


def shuffled(text: str) -> Maker:
    """Its words in another order; where none are parted, begun elsewhere."""

    def make(chance: random.Random) -> str:
        parts = text.split()
        chance.shuffle(parts)
        start = chance.randrange(len(text))
        return f"{' '.join(parts) if len(parts) > 9 else text[start:] + text[:start]}\n\n" * 5

    return make


def repeated(mark: str) -> Maker:
    return lambda chance: mark * chance.randint(500, 3000)


MAKERS: dict[str, Maker] = {
    **{kind: filled(form) for kind, form in FORMS.items()},
    "csv": table("", ",", ""),
    "semicolons": table("", ";", ""),
    "quoted csv": table('"', '","', '"'),
    "tsv": table("", "\t", ""),
    "markdown table": table("| ", " | ", " |"),
    "small json": lambda chance: json.dumps(
        [data(chance) for _ in range(30)], separators=(",", ":")
    ),
    "indented json": lambda chance: json.dumps([data(chance) for _ in range(30)], indent=2),
    "hex": lambda chance: chance.randbytes(2000).hex(),
    "base64": lambda chance: base64.b64encode(chance.randbytes(2000)).decode(),
    "base64 lines": lambda chance: base64.encodebytes(chance.randbytes(2000)).decode(),
    "emoji": lambda chance: "".join(chance.choices(EMOJI, k=300)),
    "repeated words": lambda chance: fill("$word $word\n$word ", chance) * LINES,
    "repeated line": lambda chance: fill("$sentence $snake\n", chance) * LINES,
    **{f"repeated {mark!r}": repeated(mark) for mark in REPEATED},
    **{language: shuffled(text) for language, text in LANGUAGES.items()},
}


def structured(seed: int) -> dict[str, str]:
    """A text of each kind."""
    return {kind: make(random.Random(f"{kind} {seed}")) for kind, make in MAKERS.items()}
