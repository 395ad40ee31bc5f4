"""Text that programs write and people paste: one maker for each kind, always the same for the same seed.

The weights of the estimate are fitted to some seeds; the tests hold its bounds on others.
"""

from __future__ import annotations

import base64
import json
import random
import uuid
from typing import TYPE_CHECKING

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
PROSE = {
    "french": "Le marché ouvre à huit heures et les voisins apportent des légumes très frais. Nous avons décidé de "
    "garder la liste des prêts dans une base de données simple, parce que personne ne l'avait encore vérifiée.",
    "german": "Die Ausleihe öffnet um acht Uhr, und wer ein Werkzeug zurückbringt, unterschreibt auf einer Liste. "
    "Für größere Geräte müssen wir außerdem eine Kaution verlangen, weil die Reparatur sonst niemand bezahlt.",
    "spanish": "La biblioteca abre a las ocho y los vecinos traen libros que ya no necesitan. Después de la reunión "
    "decidimos añadir una página nueva para que cada persona pueda ver qué está disponible mañana.",
    "polish": "Wypożyczalnia otwiera się o ósmej rano, a sąsiedzi przynoszą narzędzia, których już nie potrzebują. "
    "Postanowiliśmy zapisywać każdą pożyczkę w prostej bazie danych, żeby nic się nie zgubiło.",
    "vietnamese": "Thư viện mở cửa lúc tám giờ và mọi người mang sách đến trả. Chúng tôi quyết định ghi lại từng lần "
    "mượn trong một cơ sở dữ liệu đơn giản để không bị mất thông tin.",
    "russian": "Мастерская открывается в восемь часов, и соседи приносят инструменты, которые им больше не нужны. "
    "Мы решили записывать каждую выдачу в простую базу данных, чтобы ничего не потерялось.",
    "ukrainian": "Майстерня відчиняється о восьмій годині, і сусіди приносять інструменти, які їм більше не потрібні. "
    "Ми вирішили записувати кожну позику в просту базу даних, щоб нічого не загубилося.",
    "greek": "Το εργαστήριο ανοίγει στις οκτώ και οι γείτονες φέρνουν εργαλεία που δεν χρειάζονται πια. Αποφασίσαμε "
    "να γράφουμε κάθε δανεισμό σε μια απλή βάση δεδομένων για να μη χαθεί τίποτα.",
    "arabic": "تفتح المكتبة أبوابها في الساعة الثامنة ويحضر الجيران الكتب التي لم يعودوا بحاجة إليها. قررنا أن نسجل "
    "كل إعارة في قاعدة بيانات بسيطة حتى لا يضيع أي شيء.",
    "hebrew": "הספרייה נפתחת בשעה שמונה והשכנים מביאים ספרים שהם כבר לא צריכים. החלטנו לרשום כל השאלה במסד נתונים "
    "פשוט כדי ששום דבר לא יאבד.",
    "hindi": "पुस्तकालय सुबह आठ बजे खुलता है और पड़ोसी वे किताबें लाते हैं जिनकी उन्हें अब ज़रूरत नहीं है। हमने तय किया कि हर उधार को "
    "एक सरल डेटाबेस में लिखा जाएगा ताकि कुछ भी खो न जाए।",
    "thai": "ห้องสมุดเปิดเวลาแปดโมงเช้า และเพื่อนบ้านนำหนังสือที่ไม่ต้องการแล้วมาให้ เราตัดสินใจบันทึกการยืมทุกครั้งในฐานข้อมูล "
    "เพื่อไม่ให้ข้อมูลสูญหาย",
    "chinese": "图书馆早上八点开门,邻居们把不再需要的书带来。我们决定把每一次借阅都记录在一个简单的数据库里,这样就不会丢失任何东西。"
    "会议结束以后,大家同意增加一个新的页面,让每个人都能看到明天有什么可以借。",
    "japanese": "図書館は朝八時に開き、近所の人たちがもう必要のない本を持ってきます。私たちは、何もなくならないように、"
    "すべての貸し出しを簡単なデータベースに記録することにしました。",
    "korean": "도서관은 아침 여덟 시에 문을 열고 이웃들은 더 이상 필요하지 않은 책을 가져옵니다. 우리는 아무것도 잃어버리지 않도록 "
    "모든 대출을 간단한 데이터베이스에 기록하기로 결정했습니다.",
}  # fmt: skip
REPEATED = "-=*_#./+~% !:;<>?@^\"'$(),|&[]`{}abeklnoqswxyzACEMQSXZ0179\n\t"
EMOJI = "😀😂🎉🚀✅❌🔥👍🐛📝⚠️💡🙏🎯⭐🔧"


def word(chance: random.Random) -> str:
    return chance.choice(WORDS)


def name(chance: random.Random, joint: str = "_") -> str:
    return joint.join(word(chance) for _ in range(chance.randint(1, 3)))


def camel(chance: random.Random) -> str:
    return word(chance) + "".join(word(chance).title() for _ in range(chance.randint(0, 2)))


def words(chance: random.Random, most: int = 9) -> str:
    return " ".join(word(chance) for _ in range(chance.randint(2, most)))


def sentence(chance: random.Random) -> str:
    return f"{words(chance, 12).capitalize()}{chance.choice('...!?:')}"


def number(chance: random.Random) -> str:
    whole = chance.randrange(10 ** chance.randint(1, 6))
    return chance.choice((str(whole), str(whole), f"{whole % 1000}.{chance.randrange(100):02}", f"-{whole}"))


def scalar(chance: random.Random) -> str:
    return chance.choice((number, number, word, name, words))(chance)


def moment(chance: random.Random, joint: str = "T") -> str:
    day = f"20{chance.randint(10, 29)}-{chance.randint(1, 12):02}-{chance.randint(1, 28):02}"
    time = f"{chance.randrange(24):02}:{chance.randrange(60):02}:{chance.randrange(60):02}"
    return f"{day}{joint}{time}"


def url(chance: random.Random) -> str:
    path = "/".join(name(chance, "-") for _ in range(chance.randint(1, 4)))
    query = f"?{word(chance)}={number(chance)}" if chance.random() < 0.5 else ""
    return f"https://{chance.choice(('www.', 'api.', ''))}{word(chance)}.{chance.choice(('com', 'org', 'io'))}/{path}{query}"


def path(chance: random.Random) -> str:
    return "/".join(name(chance) for _ in range(chance.randint(1, 5))) + chance.choice((".py", ".md", ".js", "", ".txt"))


def data(chance: random.Random, depth: int = 2) -> object:
    if not depth:
        return chance.choice((chance.randrange(10**6), round(chance.random() * 100, 2), word(chance), True, None))
    if chance.random() < 0.3:
        return [data(chance, depth - 1) for _ in range(chance.randint(1, 4))]
    return {name(chance): data(chance, depth - 1) for _ in range(chance.randint(2, 5))}


def table(chance: random.Random, joint: str, edge: str = "") -> str:
    columns = [chance.choice((number, number, word, name, words)) for _ in range(chance.randint(3, 8))]
    return "".join(edge + joint.join(cell(chance) for cell in columns) + edge + "\n" for _ in range(80))


def markdown_table(chance: random.Random) -> str:
    columns = [chance.choice((number, word, words)) for _ in range(chance.randint(2, 6))]
    rule = "|" + chance.choice((" --- |", "---|", ":--|", "-------|")) * len(columns) + "\n"
    return rule + "".join("| " + " | ".join(cell(chance) for cell in columns) + " |\n" for _ in range(60))


def fenced(chance: random.Random) -> str:
    return f"## {words(chance).title()}\n\n{sentence(chance)} `{name(chance)}` [{word(chance)}]({url(chance)})\n\n"


def nested(chance: random.Random) -> str:
    depth = chance.randint(0, 4)
    return f"{'  ' * depth}{chance.choice(('-', '*', '1.'))} {sentence(chance)}\n"


def yaml(chance: random.Random) -> str:
    rows = "".join(f"    - {scalar(chance)}\n" for _ in range(chance.randint(0, 3)))
    return f"{name(chance)}:\n  {name(chance, '-')}: {scalar(chance)}\n  {word(chance)}:\n{rows}"


def python(chance: random.Random) -> str:
    call = f"self.{name(chance)}({name(chance)}, {name(chance)}={scalar(chance)!r})"
    return (
        f"    def {name(chance)}(self, {name(chance)}: int) -> str:\n        if {name(chance)} > {number(chance)}:\n"
        f"            return {call}\n        # {sentence(chance)}\n        {name(chance)} = [{call}]\n\n"
    )


def javascript(chance: random.Random) -> str:
    return (
        f"export const {camel(chance)} = async ({camel(chance)}, {camel(chance)}) => {{\n  const {camel(chance)} = await "
        f"{camel(chance)}.{camel(chance)}('{word(chance)}');\n  if (!{camel(chance)}) {{ return null; }}\n}};\n\n"
    )


def c(chance: random.Random) -> str:
    return (
        f"#define {name(chance).upper()} {number(chance)}\nstatic int {name(chance)}(struct {name(chance)} *p, int n)\n"
        f"{{\n\tfor (int i = 0; i < n; i++) {{\n\t\tp->{name(chance)}[i] += 0x{chance.randrange(65536):04x};\n\t}}\n"
        f"\treturn {name(chance)}(&p->{word(chance)});\n}}\n\n"
    )


def rust(chance: random.Random) -> str:
    return (
        f"pub fn {name(chance)}<'a>({word(chance)}: &'a str) -> Result<Vec<{camel(chance).title()}>, Error> {{\n"
        f"    let mut {name(chance)} = {word(chance)}.{name(chance)}()?;\n    Ok({word(chance)}::new({number(chance)}))\n}}\n"
    )


def go(chance: random.Random) -> str:
    return (
        f"func ({word(chance)[0]} *{camel(chance).title()}) {camel(chance)}(ctx context.Context) error {{\n\tif err := "
        f"{camel(chance)}.{camel(chance)}(ctx); err != nil {{\n\t\treturn fmt.Errorf(\"{words(chance)}: %w\", err)\n\t}}\n}}\n"
    )


def sql(chance: random.Random) -> str:
    return (
        f"SELECT {name(chance)}, COUNT(*) AS {word(chance)} FROM {name(chance)} WHERE {name(chance)} = {number(chance)} "
        f"GROUP BY {name(chance)};\nINSERT INTO {name(chance)} VALUES ({number(chance)}, '{words(chance)}', NULL);\n"
    )


def shell(chance: random.Random) -> str:
    return (
        f"export {name(chance).upper()}=\"$HOME/{path(chance)}\"\nif [ -f \"${name(chance).upper()}\" ]; then\n"
        f"  {word(chance)} --{name(chance, '-')} {path(chance)} | grep -v '{word(chance)}' > /tmp/{word(chance)}.txt\nfi\n"
    )


def css(chance: random.Random) -> str:
    return (
        f".{name(chance, '-')} > .{name(chance, '-')}:hover {{\n  margin: 0 {chance.randrange(40)}px;\n  color: "
        f"#{chance.randrange(1 << 24):06x};\n  background-{word(chance)}: rgba(0, 0, 0, 0.{chance.randrange(9)});\n}}\n"
    )


def html(chance: random.Random) -> str:
    return (
        f"<div class=\"{name(chance, '-')}\" id=\"{camel(chance)}\">\n  <a href=\"{url(chance)}\">{words(chance)}</a>\n"
        f"  <p>{sentence(chance)}</p>\n</div>\n"
    )


def log(chance: random.Random) -> str:
    level = chance.choice(("INFO", "DEBUG", "WARNING", "ERROR"))
    return f"{moment(chance, ' ')},{chance.randrange(1000):03} {level} [{name(chance, '.')}] {sentence(chance)} {name(chance)}={number(chance)}\n"


def access(chance: random.Random) -> str:
    place = ".".join(str(chance.randrange(256)) for _ in range(4))
    return f'{place} - - [{moment(chance)}] "GET /{path(chance)} HTTP/1.1" {chance.choice((200, 404, 500))} {chance.randrange(99999)}\n'


def diff(chance: random.Random) -> str:
    return (
        f"@@ -{chance.randrange(900)},7 +{chance.randrange(900)},9 @@ def {name(chance)}\n     {name(chance)} = {number(chance)}\n"
        f"-    return {name(chance)}({word(chance)})\n+    return {name(chance)}({word(chance)}, {name(chance)})\n"
    )


def trace(chance: random.Random) -> str:
    return f'  File "/{path(chance)}", line {chance.randrange(2000)}, in {name(chance)}\n    {name(chance)}({name(chance)})\n'


def dump(chance: random.Random) -> str:
    row = chance.randbytes(16)
    return f"{chance.randrange(1 << 24):08x}  {row.hex(' ')}\n"


def lines(one: Maker, many: int = 60) -> Maker:
    return lambda chance: "".join(one(chance) for _ in range(many))


def ended(mark: str) -> Maker:
    """A few words on each line, which ends in this; or one."""
    return lines(lambda chance: f"{chance.choice((word, name, camel, words))(chance)}{mark}\n")


def short(mark: str) -> Maker:
    return lines(lambda chance: f"{word(chance)[:chance.randint(1, 4)]}{mark}\n", 150)


def prose(text: str) -> Maker:
    """Its sentences and its words in another order."""

    def make(chance: random.Random) -> str:
        parts = [*text]
        if " " in text:
            parts = [f"{part} " for part in text.split()]
            chance.shuffle(parts)
        else:
            start = chance.randrange(len(parts))
            parts = parts[start:] + parts[:start]
        return ("".join(parts).strip() + "\n\n") * 5

    return make


def repeated(mark: str) -> Maker:
    return lambda chance: mark * chance.randint(200, 3000)


MAKERS: dict[str, Maker] = {
    "csv": lambda chance: table(chance, ","), "semicolons": lambda chance: table(chance, ";"),
    "short csv": lines(lambda chance: ",".join(word(chance)[: chance.randint(1, 5)] for _ in range(5)) + "\n"),
    "tiny csv": lines(lambda chance: ",".join(chance.choice("abcxyz0123456789") for _ in range(6)) + "\n"),
    "short constants": lines(lambda chance: f"{word(chance)[:4].upper()}_{word(chance)[:4].upper()} = {chance.randrange(20)}\n"),
    "quoted csv": lambda chance: table(chance, '","', '"'), "tsv": lambda chance: table(chance, "\t"),
    "numbers": lines(lambda chance: ",".join(number(chance) for _ in range(6)) + "\n"),
    "spaced numbers": lines(lambda chance: " ".join(number(chance) for _ in range(6)) + "\n"),
    "floats": lines(lambda chance: f"{chance.random()},{chance.random():.3f},{chance.random():e}\n"),
    "env": lines(lambda chance: f"{name(chance).upper()}={scalar(chance)}\n"),
    "constants": lines(lambda chance: f"{name(chance).upper()} = {scalar(chance)}\n"),
    "settings": lines(lambda chance: f"{name(chance)} = {scalar(chance)}\n"),
    "capitals": lines(lambda chance: f"{words(chance).upper()}\n"),
    "snake case": lines(lambda chance: f"{name(chance)}\n"), "kebab case": lines(lambda chance: f"{name(chance, '-')}\n"),
    "camel case": lines(lambda chance: f"{camel(chance)}\n"),
    "ini": lines(lambda chance: f"[{name(chance)}]\n{name(chance)} = {scalar(chance)}\n; {words(chance)}\n"),
    "toml": lines(lambda chance: f'[{name(chance, ".")}]\n{name(chance)} = "{words(chance)}"\n{word(chance)} = [{number(chance)}]\n'),
    "yaml": lines(yaml), "json lines": lines(lambda chance: json.dumps(data(chance)) + "\n", 30),
    "small json": lambda chance: json.dumps([data(chance) for _ in range(30)], separators=(",", ":")),
    "indented json": lambda chance: json.dumps([data(chance) for _ in range(30)], indent=chance.choice((2, 4))),
    "markdown table": markdown_table, "markdown": lines(fenced, 20), "nested list": lines(nested),
    "hard breaks": lines(lambda chance: f"{words(chance)}  \n"),
    "checklist": lines(lambda chance: f"- [{chance.choice(' x')}] {sentence(chance)}\n"),
    "quotes": lines(lambda chance: f"> {sentence(chance)}\n>\n"),
    "python": lines(python, 20), "javascript": lines(javascript, 20), "c": lines(c, 20), "rust": lines(rust, 20),
    "go": lines(go, 20), "sql": lines(sql, 30), "shell": lines(shell, 20), "css": lines(css, 30), "html": lines(html, 30),
    "log": lines(log), "access log": lines(access), "diff": lines(diff), "trace": lines(trace),
    "moments": lines(lambda chance: moment(chance, chance.choice("T ")) + "Z\n"),
    "hex": lambda chance: chance.randbytes(2000).hex(), "hex dump": lines(dump),
    "hex numbers": lines(lambda chance: f"0x{chance.randrange(1 << 32):08X} "),
    "sums": lines(lambda chance: f"{chance.randbytes(32).hex()}  {path(chance)}\n"),
    "base64": lambda chance: base64.b64encode(chance.randbytes(2000)).decode(),
    "base64 lines": lambda chance: base64.encodebytes(chance.randbytes(2000)).decode(),
    "uuids": lines(lambda chance: f"{uuid.UUID(int=chance.getrandbits(128))}\n"), "urls": lines(lambda chance: url(chance) + "\n"),
    "paths": lines(lambda chance: path(chance) + "\n"),
    "addresses": lines(lambda chance: f"{word(chance)}.{word(chance)}@{word(chance)}.org\n"),
    "versions": lines(lambda chance: f"{name(chance, '-')}=={chance.randrange(20)}.{chance.randrange(20)}.{chance.randrange(9)}\n"),
    "emoji": lambda chance: "".join(chance.choice(EMOJI) for _ in range(300)),
    "emoji in words": lines(lambda chance: f"{chance.choice(EMOJI)} {words(chance)}\n"),
    "tree": lines(lambda chance: f"{'│   ' * chance.randrange(3)}{chance.choice('├└')}── {path(chance)}\n"),
    "typography": lines(lambda chance: f"“{words(chance)}” — {words(chance)} → {number(chance)}… • {word(chance)}’s\n"),
    "repeated word": lambda chance: (word(chance) + chance.choice(" \n")) * 300,
    "repeated line": lambda chance: f"{sentence(chance)} {name(chance)}\n" * 60,
    "rules": lines(lambda chance: f"{chance.choice('-=*_#~+') * chance.randint(10, 90)}\n{words(chance)}\n"),
    "blank lines": lambda chance: ("\n" * chance.randint(2, 9) + word(chance)) * 60,
    "indents": lines(lambda chance: f"{' ' * chance.randrange(40)}{word(chance)}\n"),
    "aligned": lines(lambda chance: f"{word(chance):<24}{number(chance):>12}  {words(chance)}\n"),
    "tabs": lines(lambda chance: chr(9) * chance.randint(1, 6) + word(chance) + "\n"),
    **{f"lines ended by {mark!r}": ended(mark) for mark in ("", " ", "  ", ",", ", ", ";", ".", ":", " \\", "\r")},
    **{f"short lines ended by {mark!r}": short(mark) for mark in ("", " ", "   ", ",", ";", "\t")},
    **{f"repeated {mark!r}": repeated(mark) for mark in REPEATED},
    **{language: prose(text) for language, text in PROSE.items()},
}  # fmt: skip


def structured(seed: int) -> dict[str, str]:
    """A text of each kind."""
    return {kind: make(random.Random(f"{kind} {seed}")) for kind, make in MAKERS.items()}
