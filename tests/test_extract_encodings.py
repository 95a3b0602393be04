"""A page is read in the encoding its bytes are in, whatever header and page say."""

import pytest

from wikicrawl.extract import extract
from wikicrawl.extract.decode import decode

SENTENCES = {
    "Russian": "Старая мельница стоит у реки и имеет залы для свадеб и собраний.",
    "Greek": "Ο παλιός μύλος στέκεται δίπλα στο ποτάμι και έχει αίθουσες για γάμους.",
    "Hebrew": "הטחנה הישנה עומדת ליד הנהר ויש בה חדרים לחתונות.",
    "Thai": "โรงสีเก่าตั้งอยู่ริมแม่น้ำและมีห้องสำหรับงานแต่งงาน",
    "Japanese": "これは日本語のページです。古い水車小屋は川のほとりにあり、結婚式のための部屋があります。",
    "Chinese": "这是一个中文网页。老磨坊坐落在河边，有举办婚礼和会议的房间，还有许多客人。",
    "Taiwanese": "這是一個中文網頁。老磨坊坐落在河邊，有舉辦婚禮和會議的房間，還有許多客人。",
    "Korean": "이것은 한국어 페이지입니다. 오래된 방앗간은 강가에 서 있으며 결혼식을 위한 방이 있습니다.",
    "German": "Die alte Mühle steht am Fluß und hat Räume für große Hochzeiten.",
    "Polish": "Stary młyn stoi nad rzeką i ma sale na wesela, koncerty i spotkania dużych grup.",
    "Arabic": "تقف الطاحونة القديمة بجانب النهر وفيها غرف لحفلات الزفاف.",
    "Turkish": "Eski değirmen nehrin kıyısında durur ve düğünler için odaları vardır. Şimdi açık.",
}
WRITTEN = [
    ("Russian", "windows-1251"),
    ("Russian", "koi8-r"),
    ("Greek", "iso-8859-7"),
    ("Hebrew", "windows-1255"),
    ("Thai", "windows-874"),
    ("Japanese", "shift_jis"),
    ("Japanese", "euc-jp"),
    ("Japanese", "iso-2022-jp"),
    ("Chinese", "gb2312"),
    ("Chinese", "gb18030"),
    ("Taiwanese", "big5"),
    ("Korean", "euc-kr"),
    ("German", "iso-8859-1"),
]
# By a label only: in too few bytes do they differ from other encodings.
NEEDS_LABEL = [
    ("Polish", "iso-8859-2"),
    ("Polish", "windows-1250"),
    ("Arabic", "windows-1256"),
    ("Turkish", "windows-1254"),
]
PYTHON = {"windows-874": "cp874", "windows-1255": "cp1255"}


def encoded(text, label):
    return text.encode(PYTHON.get(label, label))


def page(language, label, head=""):
    return encoded(f"<html><head>{head}<title>x</title></head><body><p>{SENTENCES[language]}</p></body></html>", label)


@pytest.mark.parametrize(("language", "label"), WRITTEN)
def test_an_undeclared_page_is_read_by_its_letters(language, label):
    assert extract(page(language, label), "https://example.org/").markdown == SENTENCES[language]


@pytest.mark.parametrize(("language", "label"), [*WRITTEN, *NEEDS_LABEL])
@pytest.mark.parametrize("header", [None, "utf-8", "iso-8859-1", "ascii", "x-nonsense"])
def test_a_page_that_declares_itself_is_believed_over_a_header_that_does_not_fit(language, label, header):
    body = page(language, label, f'<meta http-equiv="Content-Type" content="text/html; charset={label}">')
    assert SENTENCES[language] in decode(body, header)


@pytest.mark.parametrize(("language", "label"), [*WRITTEN, *NEEDS_LABEL])
def test_a_header_that_fits_is_believed_over_the_page(language, label):
    assert SENTENCES[language] in decode(page(language, label, '<meta charset="utf-8">'), label)


@pytest.mark.parametrize(
    "head",
    [
        f"<script>{'x' * 12_000}</script><meta charset=gb2312>",
        '<?xml version="1.0" encoding="gb2312"?>',
        "<META CHARSET = 'GB2312' >",
    ],
    ids=["late", "XML", "capitals"],
)
def test_a_declaration_is_found(head):
    assert SENTENCES["Chinese"] in decode(page("Chinese", "gb2312", head))


@pytest.mark.parametrize("label", ["utf-8", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be"])
@pytest.mark.parametrize("language", SENTENCES)
@pytest.mark.parametrize("header", [None, "utf-8", "iso-8859-1"])
def test_unicode_is_read_with_and_without_a_mark(language, label, header):
    assert SENTENCES[language] in decode(page(language, label), header)


@pytest.mark.parametrize("bad", [b"\xff", b"\xc3", b"\xe2\x80"], ids=["stray", "cut letter", "cut sign"])
@pytest.mark.parametrize("header", [None, "ascii", "utf-8", "iso-8859-1"])
@pytest.mark.parametrize("language", [name for name in SENTENCES if name not in {"German", "Polish", "Turkish"}])
def test_one_bad_byte_costs_one_letter(language, header, bad):
    assert SENTENCES[language] in decode(page(language, "utf-8") + bad, header)


@pytest.mark.parametrize("label", ["gb2312", "euc-kr", "shift_jis"])
def test_one_bad_byte_does_not_change_a_legacy_encoding(label):
    language = {"gb2312": "Chinese", "euc-kr": "Korean", "shift_jis": "Japanese"}[label]
    body = page(language, label, "<meta charset=iso-8859-1>") * 3 + b"<p>\xff</p>"
    assert SENTENCES[language] in decode(body, label)


def test_a_terminals_escape_codes_do_not_make_a_page_japanese():
    text = "Größe: \x1b$B ist eine Folge von Zeichen"
    assert decode(text.encode()) == text


def test_the_letters_of_a_script_do_not_decide():
    body = page("Russian", "windows-1251").replace(
        b"<title>", b"<script>" + b"var x = 'word';" * 5_000 + b"</script><title>"
    )
    assert SENTENCES["Russian"] in decode(body)
