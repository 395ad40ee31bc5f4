"""What a text reads as: letters that look the same are the same, and what nobody sees is not there.

Two texts that read the same have the same skeleton. It is for comparing only, and never shown.
"""

from __future__ import annotations

from director_ctx.base.unseen import is_unseen

BRACKETS = "<＜﹤‹〈\u2329⟨❬❮❰˂ᐸ⋖⦑≮ᚲ𝈶"
"""Signs that may be taken for the beginning of a tag. Those of French and Chinese titles, « and 《,
are double.
"""
COLONS = ":：﹕︓꞉∶ː։"
SLASHES = "/\\"
_BLANK = "\u2800"
"""A cell of braille without a dot."""
_SAME = (
    # Cyrillic
    ("АВСЕНІЈКМОРЅТХУҮЗԌԚԜҺ", "abcehijkmopstxyyzgqwh"),
    ("аьсԁеһіјкмопрԛгѕтѵԝхуүӏԍ", "abcdehijkmonpqrstvwxyylg"),
    ("вннґєѡҽҿɑ", "bhhreweea"),
    # Greek
    ("ΑΒΕΖΗΙΚΜΝΟΡΤΥΧϹϺ", "abezhikmnoptyxcm"),
    ("αβγεηικνοπρστυχωϲϳ", "abyenikvonpotuxwcj"),
    # Armenian, Coptic, Cherokee, Lisu
    ("օսոհզցյԁ", "ounhqgjd"),
    ("ⲀⲂⲤⲈⲎⲒⲔⲘⲚⲞⲢⲦⲨⲬⲁⲥⲉⲏⲓⲕⲙⲛⲟⲣⲧ", "abcehikmnoptyxacehikmnopt"),
    ("ᎪᏴᏟᎠᎬᏀᎻᎫᏦᏞᎷᏢᎡᏚᎢᏙᎳᏃ", "abcdeghjklmprstvwz"),
    ("ꓮꓐꓚꓓꓰꓝꓖꓧꓲꓙꓗꓡꓟꓠꓳꓑꓣꓢꓔꓴꓦꓪꓫꓬꓜ", "abcdefghijklmnoprstuvwxyz"),
    # Latin: small capitals, phonetic letters, letters with strokes
    ("ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘʀꜱᴛᴜᴠᴡʏᴢ", "abcdefghijklmnoprstuvwyz"),
    ("ɑƀƃɓɗđðɛəɡɠħɦıɨɩȷłƚɫɱŋɲøɵƥʂŧƭʋʉƴʐ", "abbbdddeegghhiiijlllmnnoopsttvuyz"),
    # Signs
    ("ǀ∣⏐⼁❘", "lllll"),
    ("⁄∕⧸╱⟋", "/////"),
    ("∖⧵╲⟍", "\\\\\\\\"),
    ("❨⟮⸨", "((("),
    ("❩⟯⸩", ")))"),
    ("›〉⟩❭❯❱˃ᐳ⋗⦒𖼿𝈷", ">>>>>>>>>>>>"),
    ("‿⁀ˍ", "___"),
    ("‐‑‒–—―−˗", "--------"),
)
_RARE = (
    ("⍺ᗅ𖽀𐊠", "a"),
    ("ƄЬᏏᑲᖯꞴᗷ𐊂𐊡𐌁", "b"),
    ("ꮯ𐐽🝌𑣲𑣩𐊢𐌂𐐕𐔜", "c"),
    ("Ꮷᑯꓒᗞᗪ", "d"),
    ("℮ꬲ⋿ⴹ𑢦𑢮𐊆", "e"),
    ("ꬵꞙք𝈓ꞘϜ𝟊ᖴ𑣂𑢢𐊇𐊥𐔥", "f"),
    ("ᶃƍᏳ", "g"),
    ("Ꮒᕼ𐋏", "h"),
    ("˛⍳ͺꙇꭵᎥ𑣃", "i"),
    ("ᛕ𐔘", "k"),
    ("⏽￨۱𐌠ƖӀⵏᛁ𖼨𐊊𐌉𝈪Ⳑᒪ𖼖𑢣𑢲𐐛𐔦", "l"),
    ("ᗰᛖ𐊰𐌑", "m"),
    ("ռ𐔓", "n"),
    ("ంಂംං०੦૦௦౦೦൦๐໐၀۵ᴑꬽჿഠဝ𐓪𑣈𑣗𐐬০୦〇𑓐𑣠Օⵔዐଠ𐓂𑢵𐊒𐊫𐐄𐔖", "o"),
    ("⍴ᑭ𐊕", "p"),
    ("ꭇꭈᴦⲅꮁ𝈖ƦᏒ𐒴ᖇ𖼵", "r"),
    ("ƽꮪ𑣁𐑈ՏᏕ𖼺𐊖𐐠", "s"),
    ("⊤⟙🝨𖼊𑢼𐊗𐊱𐌕", "t"),
    ("ꞟꭎꭒʋ𐓶𑣘∪⋃Սሀ𐓎ᑌ𖽂𑢸", "u"),
    ("∨⋁𑜆ꮩ𑣀𝈍۷Ѵⴸᐯꛟ𖼈𑢠𐔝", "v"),
    ("ɯա𑜊𑜎𑜏ꮃ𑣯𑣦Ꮤ", "w"),
    ("᙮×⤫⤬⨯ᕁᕽ᙭╳𐌢𑣬Ꭓⵝᚷ𐊐𐊴𐌗𐔧", "x"),
    ("ɣᶌỿꭚყ𑣜ᎩᎽ𖽃𑢤𐊲", "y"),
)
"""The rest of what Unicode lists as easily confused with letters of our tags, from scripts that few
write.
"""
_ROUND = (0x1F150, 0x1F170, 0x1F1E6)
"""Where the letters A to Z begin once more, in black circles, in black squares, and as halves of
flags.
"""
_letters: dict[str, str] = {}
"""What each sign looks like; filled in when the first one beyond ASCII is looked at, which most
hooks never do.
"""
_MERGED = str.maketrans("l1|0-", "iiio_")


def letters() -> dict[str, str]:
    """The plain letter that each sign looks like."""
    if _letters:
        return _letters
    known: dict[str, str] = {}
    for drawn, plain in _SAME:
        known.update(zip(drawn, plain, strict=True))
    for drawn, letter in _RARE:
        known.update(dict.fromkeys(drawn, letter))
    for first in _ROUND:
        for place in range(26):
            known[chr(first + place)] = chr(ord("a") + place)
    # At once: another thread may look for a sign meanwhile.
    _letters.update(known)
    return _letters


def skeleton(text: str) -> str:
    """What a text reads as: `Іnѕtruсtıоns`, half of it Cyrillic, has that of `instructions`."""
    seen = text
    if not text.isascii():
        seen = "".join(map(seen_as, text))
    return seen.casefold().translate(_MERGED).replace("rn", "m").replace("vv", "w")


def seen_as(char: str) -> str:
    """The plain letters that one character looks like; none where it shows nothing, or stands above
    another.
    """
    if char.isascii():
        if char.isprintable() or char.isspace():
            return char
        return ""
    known = letters()
    if char in known or char == _BLANK:
        return known.get(char, " ")
    if char.isspace():
        return " "
    import unicodedata

    plain = unicodedata.normalize("NFKD", char)
    visible = ""
    for letter in plain:
        # Marks that stand above or around another letter, and what shows nothing.
        is_mark = unicodedata.category(letter) in ("Mn", "Me", "Cf", "Cc")
        if not is_mark and not is_unseen(letter):
            visible += known.get(letter, letter)
    return visible


def visible_start(text: str) -> int:
    """Where a text begins for a reader: behind blanks of every kind, slashes, and what shows
    nothing.
    """
    for place, char in enumerate(text):
        if not _is_skipped(char):
            return place
    return len(text)


def _is_skipped(char: str) -> bool:
    seen = seen_as(char)
    return not seen or seen in SLASHES or seen.isspace()
