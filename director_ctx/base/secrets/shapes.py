"""The formats of credentials, as data: words of which a text must have one to be looked at, and the
pattern.

Every pattern takes time in proportion to the text: what repeats without end stands last, or begins
only where a word begins. Whoever adds one adds a sample to the tests.
"""

from __future__ import annotations

from director_ctx.base.secrets.commands import COMMANDS

_START = r"(?:(?<![\w-])|(?<=%[0-9A-Fa-f]{2}))"
"""The beginning of a word, or what follows a percent escape."""
_ODD = r"(?=[A-Za-z_-]{0,60}+\d)"
"""With a digit in it: sk-learn-contrib-templates is none."""
SHAPES: tuple[tuple[str, tuple[str, ...], str], ...] = (
    (
        "private key",
        ("PRIVATE KEY",),
        r"(?:-----)?BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY[\s\S]*?(?:END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?(?:-----)?|\Z)",
    ),
    (
        "PuTTY key",
        ("PuTTY-User-Key-File-",),
        r"PuTTY-User-Key-File-[\s\S]*?(?:Private-MAC: ?[0-9a-f]{1,128}|\Z)",
    ),
    (
        "private key, in base64",
        ("LS0tLS1CRUdJTi",),
        r"LS0tLS1CRUdJTi(?:BSU0EgUFJJ|BQUklWQVRF|BFQyBQUklW|BFQyBQUkl|BPUEVOU1NI|BFTkNSWVBU|BEU0EgUFJJ)[\w+/=-]{20,}",
    ),
    (
        "JSON web key",
        ("kty",),
        r"(?<![\w.])(?:\\?[\"'])?(?:d|p|q|dp|dq|qi|k)(?:\\?[\"'])?\s{0,20}[:=]\s{0,20}(?:\\?[\"'])?[\w-]{20,}",
    ),
    (
        "words to remember",
        ("mnemonic", "phrase", "seed", "recovery"),
        r"(?i:mnemonic|(?:seed|recovery|secret|backup|wallet)[ _-]{0,2}(?:recovery[ _-]{0,2})?(?:phrase|words?))"
        r"(?:\\?[\"'])?[^\w\r\n]{0,20}(?:is|are)?\s{0,20}[\"'\[(:=*-]{0,4}\s{0,20}"
        r"(?:(?:\d{1,2}[.):]?\s{1,4})?(?-i:[a-z]{3,8})[\s,\"']{1,6}){11,23}(?:\d{1,2}[.):]?\s{1,4})?(?-i:[a-z]{3,8})\b",
    ),
    ("age", ("AGE-SECRET-KEY-",), r"AGE-SECRET-KEY-1[0-9A-Z]{20,}"),
    ("JSON web token", ("eyJ",), rf"{_START}eyJ[\w=-]{{5,}}\.[\w=-]{{2,}}(?:\.[\w.+/=-]*)?"),
    (
        "AWS",
        ("AKIA", "ASIA", "ABIA", "ACCA", "A3T"),
        r"(?:A3T[A-Z0-9]|ABIA|ACCA|AKIA|ASIA)[0-9A-Z]{16}",
    ),
    ("AWS secret", ("aws",), r"(?i:aws)[^\r\n]{1,48}?[\"'][0-9A-Za-z/+]{40}[\"']"),
    ("Anthropic", ("sk-ant-",), r"sk-ant-[\w-]{8,}"),
    ("OpenAI and others", ("sk-",), rf"(?<![A-Za-z0-9])sk-{_ODD}[\w-]{{20,}}"),
    ("OpenAI, legacy", ("T3BlbkFJ",), r"(?<![\w-])[\w-]{20,200}T3BlbkFJ[\w-]{20,}"),
    ("Google", ("AIza",), r"AIza[\w-]{30,}"),
    ("Google OAuth", ("ya29.", "GOCSPX-"), r"(?:ya29\.|GOCSPX-)[\w.-]{20,}"),
    ("Google refresh", ("1//0",), r"(?<![\w/])1//0[\w-]{20,}"),
    ("GitHub", ("ghp_", "gho_", "ghu_", "ghs_", "ghr_"), r"gh[pousr]_[A-Za-z0-9_]{30,}"),
    ("GitHub, fine-grained", ("github_pat_",), r"github_pat_\w{20,}"),
    (
        "GitLab",
        ("gl",),
        r"(?<![A-Za-z0-9])gl(?:pat|dt|ft|soat|oas|rt|rtr|cbt|ptt|agent|imt|ffct|wt)-[\w.-]{20,}",
    ),
    ("GitLab runner", ("GR1348941",), r"GR1348941[\w-]{20,}"),
    ("npm", ("npm_",), rf"(?<![A-Za-z0-9])npm_{_ODD}[A-Za-z0-9]{{20,}}"),
    ("npm registry", (":_auth", ":_authToken"), r":_auth(?:Token)?[ \t]{0,80}=[^\r\n]*"),
    ("PyPI", ("pypi-A",), r"pypi-A[\w-]{20,}"),
    (
        "Hugging Face",
        ("hf_", "api_org_"),
        rf"(?<![A-Za-z0-9])(?:hf|api_org)_{_ODD}[A-Za-z0-9]{{20,}}",
    ),
    (
        "models",
        ("gsk_", "xai-", "pplx-", "r8_", "nvapi-"),
        r"(?<![A-Za-z0-9])(?:gsk_|xai-|pplx-|r8_|nvapi-)[\w-]{30,}",
    ),
    ("Databricks", ("dapi",), r"dapi[0-9a-f]{32}"),
    ("DigitalOcean", ("_v1_",), r"do[opr]_v1_[0-9a-f]{40,}"),
    ("Airtable", ("pat",), r"(?<![A-Za-z0-9])pat[A-Za-z0-9]{14}\.[0-9a-f]{32,}"),
    ("Notion", ("ntn_",), r"(?<![A-Za-z0-9])ntn_[A-Za-z0-9]{30,}"),
    ("Linear", ("lin_",), r"lin_(?:api|oauth)_[A-Za-z0-9]{20,}"),
    ("Supabase", ("sbp_", "sb_secret_"), r"(?:sbp_|sb_secret_)[\w-]{20,}"),
    ("Slack", ("xox",), r"(?i:xox[a-z](?:\.xox[a-z])?)-(?:\d[A-Za-z0-9-]*|[A-Za-z0-9-]{10,})"),
    ("Slack app", ("xapp-",), r"xapp-[A-Za-z0-9-]{10,}"),
    (
        "Slack webhook",
        ("hooks.slack.com/",),
        r"(?i:hooks\.slack\.com/(?:services|workflows|triggers)/[\w/-]{4,})",
    ),
    ("Discord", (".",), rf"{_START}[MNO][\w-]{{23,25}}\.[\w-]{{6}}\.[\w-]{{27,}}"),
    ("Discord webhook", ("/api/webhooks/",), r"/api/webhooks/\d{5,25}/[\w-]{20,}"),
    ("Telegram", (":",), r"(?<!\d)\d{8,10}:[\w-]{35}"),
    ("SendGrid", ("SG.",), r"SG\.[\w-]{16,32}\.[\w-]{30,}"),
    (
        "Stripe",
        ("k_live_", "k_test_", "whsec_"),
        r"(?:[rs]k_(?:live|test)_|whsec_)[0-9A-Za-z+/=]{10,}",
    ),
    ("Square", ("sq0",), r"sq0[a-z]{3}-[\w\\-]{20,}"),
    ("Shopify", ("shp",), r"shp(?:at|ca|pa|ss)_[0-9a-fA-F]{20,}"),
    ("Twilio", ("AC", "SK"), r"(?<![A-Za-z0-9])(?:AC|SK)[a-z0-9]{32}"),
    ("Mailchimp", ("-us",), r"(?<![0-9a-z])[0-9a-z]{32}-us[0-9]{1,2}"),
    ("Mailgun", ("key-",), r"(?<![A-Za-z0-9])key-[0-9a-f]{32}"),
    ("Vault", ("hvs.", "hvb.", "hvr."), r"(?<![A-Za-z0-9])hv[sbr]\.[\w-]{20,}"),
    ("Docker, Grafana", ("dckr_", "glsa_", "glc_"), r"(?:dckr_[op]at_|glsa_|glc_)[\w=+/-]{20,}"),
    (
        "Vault, older",
        ("s.",),
        r"(?<![\w./-])s\.(?=[A-Za-z]{0,20}\d)(?=[^A-Z]{0,20}[A-Z])[A-Za-z0-9]{24}(?![\w.])",
    ),
    ("Tailscale", ("tskey-",), r"tskey-[a-z]{2,12}-[A-Za-z0-9-]{16,}"),
    (
        "Doppler",
        ("dp.",),
        r"(?<![\w.])dp\.(?:pt|st|sa|ct|scim|audit|said)\.(?:[\w-]{1,40}\.)?[A-Za-z0-9]{30,}",
    ),
    ("Notion, older", ("secret_",), rf"(?<![A-Za-z0-9_])secret_{_ODD}[A-Za-z0-9]{{40,}}"),
    ("Sentry", ("sntry",), r"sntry[su]_[\w+/=-]{30,}"),
    ("Cloudflare", ("v1.0-",), r"(?<![\w.])v1\.0-[0-9a-f]{20,30}-[0-9a-f]{60,}"),
    ("Terraform", ("atlasv1",), r"(?<!\w)[A-Za-z0-9]{14}\.atlasv1\.[\w-]{40,}"),
    ("Dropbox", ("sl.",), r"(?<![\w.])sl\.(?:u\.)?[\w-]{100,}"),
    ("Square access", ("EAAA",), r"(?<![A-Za-z0-9])EAAA[\w-]{60,}"),
    ("Asana", (":",), r"(?<![\w/.])[12]/\d{13,20}:[0-9a-f]{32}"),
    (
        "platforms",
        (
            "NRAK-",
            "pul-",
            "fo1_",
            "fm2_",
            "nfp_",
            "rnd_",
            "pscale_",
            "figd_",
            "xkeysib-",
            "xsmtpsib-",
        ),
        rf"(?<![A-Za-z0-9])(?:NRAK-|pul-|fo1_|fm2_|nfp_|rnd_|pscale_(?:tkn|pw|oauth)_|figd_|xkeysib-|xsmtpsib-)"
        rf"{_ODD}[\w-]{{25,}}",
    ),
    ("Postman", ("PMAK-",), r"PMAK-[\w-]{20,}"),
    (
        "Artifactory",
        ("AKC", "cmVmdGtu"),
        r"(?<![A-Za-z0-9])(?:AKC[A-Za-z0-9]{10,}|cmVmdGtu[A-Za-z0-9]{40,})",
    ),
    (
        "Artifactory password",
        ("AP",),
        r"(?<![A-Za-z0-9])AP[\dA-F](?=[A-Z]{0,40}[a-z0-9])[A-Za-z0-9]{8,}(?![\w.])",
    ),
    ("SoftLayer", ("softlayer",), r"(?i:api.softlayer.com/soap/v3(?:.1)?/[a-z0-9]{32,})"),
    (
        "netrc",
        ("machine ",),
        r"(?i:\bmachine)\s{1,9}\S{1,200}\s{1,9}(?i:login)\s{1,9}\S{1,200}\s{1,9}(?i:password)\s{1,9}\S+",
    ),
    (
        "pgpass",
        (":*:", ":5432:", ":5433:", ":6432:"),
        r"(?<![\w.*/-])[\w.*-]{1,200}:(?:\*|\d{4,5}):(?!\d+:)[^\s:]{1,80}:[^\s:]{1,80}:\S+",
    ),
    ("Oracle", ("oracle:thin:",), r"oracle:thin:[\w$#]{1,60}/[^@\s]{1,80}@"),
    ("SQL", ("identified by",), r"(?i:identified by) (?i:password )?'[^'\r\n]{1,200}'"),
    *COMMANDS,
    (
        "in words",
        ("pass", "token", "secret", "key "),
        r"(?i:\b(?:pass(?:word|phrase|code|wort)|token|secret|api[ -]?key) (?:is|was|ist)):? "
        r"[\"'`]?(?=[^\s\d]{0,60}\d)[^\s\"'`]{4,}",
    ),
    (
        "basic",
        ("asic ",),
        r"(?i:\bbasic) +(?=\S{0,80}(?:[0-9=]|[a-z][A-Z]))[A-Za-z0-9+/]{8,}={0,2}",
    ),
    ("bearer", ("earer ",), r"(?i:\bbearer) +(?=\S{0,80}(?:[0-9_=]|[a-z][A-Z]))[\w.~+/=-]{8,}"),
)
"""Each with what it is, those words (small letters match large ones too), and the pattern.

Where several could take the same text, the one that takes most stands first.
"""
