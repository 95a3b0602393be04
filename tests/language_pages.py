"""Pages of four kinds in seven languages, written for the tests, with what should be kept of each and what should not."""

from dataclasses import dataclass
from html import escape


@dataclass(frozen=True)
class Page:
    html: str
    wanted: list[str]
    unwanted: list[str]


@dataclass(frozen=True)
class Language:
    code: str
    title: str
    lead: str
    paragraphs: tuple[str, str, str]
    menu: tuple[str, str, str]
    related: str  # the title over other articles
    others: tuple[str, str]
    comments: str  # the title over readers' comments
    comment: str
    cookies: str
    imprint: str
    rows: tuple[tuple[str, str], tuple[str, str]]
    stock: str


LANGUAGES = [
    Language(
        "de",
        "Die alte Mühle mahlt wieder",
        "Nach vierzig Jahren dreht sich am Fluss wieder ein Wasserrad, und das halbe Dorf sah zu.",
        (
            "Am Samstag öffnete der Müller zum ersten Mal seit langem das Wehr. Das Wasser schoss durch den Graben, das Rad "
            "ächzte, und nach einer halben Minute liefen die Steine. Auf dem Hof standen Kinder, Alte und ein Bürgermeister.",
            "Der Verein hat elf Jahre gesammelt, gesägt und gestritten. Das Holz kam aus dem eigenen Wald, die Steine aus "
            "einem Bruch, den es längst nicht mehr gibt. Gekostet hat alles zusammen so viel wie ein kleines Haus.",
            "Im Herbst soll es das erste Mehl zu kaufen geben. Wer mag, kann an jedem ersten Sonntag zusehen, wie gemahlen "
            "wird, und sich erklären lassen, warum ein Rad mit Schaufeln mehr leistet, als man ihm ansieht.",
        ),
        ("Startseite", "Rathaus", "Vereine"),
        "Das könnte Sie auch interessieren",
        ("Neue Brücke über den Bach", "Feuerwehr sucht Helfer"),
        "3 Kommentare",
        "Ich war dabei und habe mich sehr gefreut, dass es endlich geklappt hat.",
        "Wir verwenden Cookies, um Ihnen den Besuch zu erleichtern.",
        "Impressum und Datenschutz",
        (("Höhe des Rades", "420 Zentimeter"), ("Leistung", "18 Kilowatt")),
        "Auf Lager",
    ),
    Language(
        "fr",
        "Le vieux moulin tourne de nouveau",
        "Quarante ans après son dernier tour, la roue du moulin s'est remise en marche devant tout le village réuni.",
        (
            "Samedi, le meunier a ouvert la vanne pour la première fois depuis longtemps. L'eau s'est engouffrée dans le canal, "
            "la roue a gémi, puis les meules se sont mises à tourner. Dans la cour, les enfants retenaient leur souffle.",
            "L'association a passé onze ans à réunir l'argent, à scier et à discuter. Le bois vient de la forêt communale, les "
            "pierres d'une carrière fermée depuis une génération. Le tout a coûté le prix d'une petite maison.",
            "La première farine sera vendue à l'automne. Chaque premier dimanche du mois, on pourra regarder travailler le "
            "meunier et comprendre pourquoi une roue à augets fournit plus de force qu'il n'y paraît.",
        ),
        ("Accueil", "Mairie", "Associations"),
        "À lire aussi",
        ("Un nouveau pont sur le ruisseau", "Les pompiers recrutent"),
        "Commentaires",
        "J'y étais, et je suis très heureuse que cela ait enfin réussi.",
        "Nous utilisons des cookies pour faciliter votre visite.",
        "Mentions légales",
        (("Hauteur de la roue", "420 centimètres"), ("Puissance", "18 kilowatts")),
        "En stock",
    ),
    Language(
        "es",
        "El viejo molino vuelve a girar",
        "Cuarenta años después de su última vuelta, la rueda del molino se puso en marcha ante medio pueblo.",
        (
            "El sábado el molinero abrió la compuerta por primera vez en mucho tiempo. El agua entró en el canal, la rueda "
            "crujió y, al cabo de medio minuto, las piedras empezaron a moler. En el patio nadie se atrevía a hablar.",
            "La asociación pasó once años reuniendo dinero, serrando y discutiendo. La madera es del monte comunal y las "
            "piedras de una cantera que ya no existe. Todo junto ha costado lo que una casa pequeña.",
            "La primera harina se venderá en otoño. Cada primer domingo del mes se podrá ver trabajar al molinero y entender "
            "por qué una rueda de cangilones da más fuerza de la que parece a primera vista.",
        ),
        ("Inicio", "Ayuntamiento", "Asociaciones"),
        "Te puede interesar",
        ("Nuevo puente sobre el arroyo", "Los bomberos buscan ayuda"),
        "Comentarios",
        "Yo estuve allí y me alegré mucho de que por fin saliera bien.",
        "Usamos cookies para facilitar su visita.",
        "Aviso legal",
        (("Altura de la rueda", "420 centímetros"), ("Potencia", "18 kilovatios")),
        "En existencias",
    ),
    Language(
        "ru",
        "Старая мельница снова мелет",
        "Через сорок лет после последнего оборота колесо мельницы пошло снова, и смотреть на это вышло полдеревни.",
        (
            "В субботу мельник впервые за долгое время открыл заслонку. Вода хлынула в жёлоб, колесо заскрипело, и через "
            "полминуты жернова пошли. На дворе стояли дети, старики и глава посёлка, и никто не говорил ни слова.",
            "Общество одиннадцать лет собирало деньги, пилило и спорило. Лес взяли свой, а камни привезли из карьера, "
            "которого давно уже нет. Всё вместе обошлось в цену небольшого дома на краю посёлка.",
            "Первую муку начнут продавать осенью. Каждое первое воскресенье можно будет посмотреть, как работает мельник, "
            "и понять, почему колесо с ковшами даёт больше силы, чем кажется на первый взгляд.",
        ),
        ("Главная", "Администрация", "Общества"),
        "Читайте также",
        ("Новый мост через ручей", "Пожарные ищут помощников"),
        "Комментарии",
        "Я была там и очень обрадовалась, что наконец всё получилось.",
        "Мы используем файлы куки, чтобы вам было удобнее.",
        "Правовая информация",
        (("Высота колеса", "420 сантиметров"), ("Мощность", "18 киловатт")),
        "В наличии",
    ),
    Language(
        "ar",
        "الطاحونة القديمة تدور من جديد",
        "بعد أربعين عاما من آخر دورة لها عادت عجلة الطاحونة إلى العمل أمام نصف أهل القرية المجتمعين على ضفة النهر.",
        (
            "فتح الطحان البوابة يوم السبت لأول مرة منذ زمن طويل. اندفع الماء في القناة، وصرّت العجلة، وبعد نصف دقيقة بدأت الأحجار "
            "تدور. وقف في الساحة الأطفال والشيوخ ورئيس البلدية، ولم يتكلم أحد حتى خرج أول الدقيق.",
            "أمضت الجمعية أحد عشر عاما في جمع المال ونشر الخشب والنقاش. جاء الخشب من غابة القرية والأحجار من محجر أغلق منذ "
            "جيل كامل. وبلغت كلفة العمل كله ثمن بيت صغير على طرف القرية.",
            "سيباع أول الدقيق في الخريف. ويمكن لمن أراد أن يشاهد الطحان في أول أحد من كل شهر، وأن يفهم لماذا تعطي العجلة ذات "
            "الدلاء قوة أكبر مما يبدو عليها عند النظرة الأولى.",
        ),
        ("الرئيسية", "خدمات البلدية", "دليل الجمعيات"),
        "اقرأ أيضا",
        ("جسر جديد فوق الجدول", "رجال الإطفاء يطلبون المساعدة"),
        "التعليقات",
        "كنت هناك وفرحت كثيرا لأن الأمر نجح أخيرا بعد كل هذه السنين.",
        "نستخدم ملفات تعريف الارتباط لتسهيل زيارتك.",
        "بيانات قانونية",
        (("ارتفاع العجلة", "٤٢٠ سنتيمترا"), ("القدرة", "١٨ كيلوواط")),
        "متوفر",
    ),
    Language(
        "zh",
        "老水磨又转起来了",
        "停了四十年以后，河边的水轮在半个村子的人面前重新转动，大家都说没有想到真能等到这一天。",
        (
            "星期六，磨坊主人隔了多年第一次打开水闸。水冲进水渠，木轮吱吱作响，半分钟以后石磨开始转动。院子里站着孩子、老人和村长，"
            "谁也不说话，直到第一把面粉落进布袋里，人们才一齐鼓起掌来。",
            "协会花了十一年筹钱、锯木头、争论。木头来自村里的树林，石头来自一座早已关闭的采石场。全部加起来，花的钱和盖一座小房子差不多，"
            "其中一半是村民一点一点捐出来的。",
            "第一批面粉将在秋天出售。每个月的第一个星期天，人们可以来看磨面，听主人解释为什么带斗的水轮比看上去更有力气，"
            "也可以亲手摸一摸那些旧石头。",
        ),
        ("首页", "村委会", "社团"),
        "相关阅读",
        ("小溪上的新桥", "消防队招募志愿者"),
        "评论",
        "我当时就在现场，终于成功了，真是太高兴了。",
        "我们使用小型文本文件以方便您的访问。",
        "法律声明",
        (("水轮高度", "四百二十厘米"), ("功率", "十八千瓦")),
        "现货",
    ),
    Language(
        "ja",
        "古い水車がふたたび回りはじめた",
        "四十年のあいだ止まっていた川べりの水車が、集まった村の人たちの前でふたたび回りはじめ、拍手がわいた。",
        (
            "土曜日、粉屋の主人は久しぶりに水門を開けた。水が溝に流れこみ、車輪がきしみ、半分ほどの間をおいて石臼が動きだした。"
            "庭には子どもも年寄りも村長もいて、最初の粉が袋に落ちるまで、だれも口をきかなかった。",
            "会は十一年かけて金を集め、木を切り、話しあった。木は村の森から、石はとうに閉じた石切り場から運ばれた。"
            "すべてを合わせると、小さな家が一軒建つほどの費用がかかったという。",
            "最初の粉は秋に売られる。毎月第一日曜日には粉ひきのようすを見ることができ、桶のついた車輪が見かけよりも"
            "ずっと大きな力を出すわけを、主人がゆっくりと説明してくれる。",
        ),
        ("ホーム", "役場", "会のご案内"),
        "関連記事",
        ("小川に新しい橋", "消防団が団員を募集"),
        "コメント",
        "その場にいました。やっと成功して、ほんとうにうれしかったです。",
        "ご利用を便利にするためクッキーを使っています。",
        "法的な表示",
        (("車輪の高さ", "四百二十センチ"), ("出力", "十八キロワット")),
        "在庫あり",
    ),
]


def frame(language, content, head=""):
    """A page with the furniture of its site, under names that tell nothing."""
    menu = "".join(f'<li><a href="/{n}">{item}</a></li>' for n, item in enumerate(language.menu))
    return (
        f'<!doctype html><html lang="{language.code}"><head><meta charset="utf-8"><title>{language.title}</title>{head}</head>'
        f'<body><header><nav><ul>{menu}</ul></nav></header><div class="a1">{content}</div>'
        f'<div id="cookie-notice"><p>{language.cookies}</p></div>'
        f'<footer><a href="/i">{language.imprint}</a></footer></body></html>'
    )


def furniture(language):
    return [*language.menu, language.cookies, language.imprint]


def article(language):
    """The lead stands beside the text, and what follows is told by its titles alone."""
    text = "".join(f"<p>{paragraph}</p>" for paragraph in language.paragraphs * 2)
    others = "".join(f'<li><a href="/o{n}">{other}</a></li>' for n, other in enumerate(language.others))
    content = (
        f'<div class="b1"><h1>{language.title}</h1><p class="b2">{language.lead}</p></div><div class="b3">{text}'
        f'<div class="b4"><h3>{language.related}</h3><ul>{others}</ul></div>'
        f'<div class="b5"><h3>{language.comments}</h3><p>{language.comment}</p></div></div>'
    )
    head = '<meta property="og:type" content="article">'
    unwanted = [language.related, *language.others, language.comment, *furniture(language)]
    return Page(frame(language, content, head), [language.lead, *language.paragraphs], unwanted)


def product(language):
    name = escape(language.title)
    rows = "".join(f"<tr><th>{key}</th><td>{value}</td></tr>" for key, value in language.rows)
    tiles = "".join(
        f'<div><a href="/p{n}">{language.others[n % 2]} {n}</a><span>{language.stock}</span></div>' for n in range(12)
    )
    text = "".join(f"<p>{paragraph}</p>" for paragraph in language.paragraphs)
    content = f"<div><h1>{name}</h1>{text}<table>{rows}</table></div><div>{tiles}</div>"
    head = f'<script type="application/ld+json">{{"@type": "Product", "name": "{language.title}"}}</script>'
    facts = [text for row in language.rows for text in row]
    unwanted = [f"{language.others[0]} 4", language.stock, *furniture(language)]
    return Page(frame(language, content, head), [*language.paragraphs, *facts], unwanted)


def forum(language):
    texts = [language.lead, *language.paragraphs, language.comment]
    posts = "".join(
        f'<div class="post"><div class="c1">U{n}</div><div class="c2"><p>{text}</p></div></div>'
        for n, text in enumerate(texts)
    )
    head = '<meta name="generator" content="phpBB">'
    return Page(frame(language, f"<h1>{language.title}</h1>{posts}", head), texts, furniture(language))


def documentation(language):
    parts = "".join(
        f"<h2>{key}</h2><p>{paragraph}</p><pre>wheel --turn {n}</pre>"
        for n, ((key, _), paragraph) in enumerate(
            zip(language.rows * 2, (*language.paragraphs, language.lead), strict=True)
        )
    )
    beside = "".join(f'<a href="/{other}">{other}</a>' for other in language.others)
    content = f'<div class="sidebar">{beside}</div><main><h1>{language.title}</h1>{parts}</main>'
    wanted = [*language.paragraphs, language.lead, "wheel --turn 3", *(key for key, _ in language.rows)]
    return Page(frame(language, content), wanted, [*language.others, *furniture(language)])


KINDS = {"article": article, "product": product, "forum": forum, "documentation": documentation}
