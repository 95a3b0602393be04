"""Write the demo's English, the same for the same seed."""

from __future__ import annotations

import re
from random import Random
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

Grammar = dict[str, tuple[str, ...]]  # slot → texts; {slot} and {10-99} (a number) in a text are filled in

_SLOT = re.compile(r"\{(?:(\d+)-(\d+)|(\w+))\}")


class Prose:
    """A writer with one grammar and its own luck; sentence patterns come round only after all have been used."""

    def __init__(self, site: str, seed: str) -> None:
        self.random = Random(f"{site} {seed}")
        self._grammar: Mapping[str, tuple[str, ...]] = COMMON | GRAMMARS[site]
        self._deck: list[str] = []

    def say(self, slot: str) -> str:
        return self._fill(self.random.choice(self._grammar[slot]))

    def sentence(self) -> str:
        if not self._deck:
            self._deck = self.random.sample(self._grammar["sentence"], len(self._grammar["sentence"]))
        text = self._fill(self._deck.pop())
        return text[0].upper() + text[1:]

    def paragraph(self, sentences: int) -> str:
        return " ".join(self.sentence() for _ in range(sentences))

    def paragraphs(self, count: int) -> list[str]:
        return [self.paragraph(self.random.randint(3, 5)) for _ in range(count)]

    def _fill(self, text: str) -> str:
        while match := _SLOT.search(text):
            low, high, slot = match.groups()
            value = self.say(slot) if slot else str(self.random.randint(int(low), int(high)))
            text = text[: match.start()] + value + text[match.end() :]
        return text


def fact(site: str, path: str, revision: int) -> str:
    return Prose(site, f"{path} {revision}").say("fact")


def slug(title: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")


def _listed(text: str) -> tuple[str, ...]:
    return tuple(text.split())


COMMON: Grammar = {
    "name": ("{first} {last}",),
    "first": _listed(
        "Agnes Alban Beatrix Callum Dorothea Edmund Fenella Gareth Hester Idris Jocelyn Kenver Leonie Maud "
        "Nesta Oswald Petra Quentin Rosalind Silas Tamsin Ursula Verity Wilfred"
    ),
    "last": _listed(
        "Ashdown Bellweather Cartmel Drewe Eskdale Fairbairn Garrow Holloway Inskip Jessop Kirkbride "
        "Langstaff Marrack Netherby Ormerod Pascoe Quayle Ravenhill Stannard Trewin Underhay Varley Whitlock "
        "Yarrow"
    ),
    "month": _listed("January February March April May June July August September October November December"),
    "weekday": _listed("Monday Tuesday Wednesday Thursday Friday Saturday Sunday"),
    "season": ("spring", "summer", "autumn", "winter"),
    "few": ("two", "three", "four", "five", "six"),
}

_VENUE: Grammar = {
    "fact": (
        "{name} has looked after this part of the house for {3-29} seasons and answers every letter within {2-9} days.",
        "{name} keeps a notebook of {110-990} weddings here and is glad to show the {few} pages about yours.",
        "Ask for {name}, who joined us {3-29} years ago and has walked couples round the grounds {110-990} times.",
    ),
    "sentence": (
        "The {room} seats {40-160} for {meal} and opens straight onto {outside}.",
        "On a clear {season} afternoon the light comes in low across {outside} until well after six.",
        "Couples often ask whether {worry}, and the honest answer is that it depends on the date.",
        "Our {staff} will walk the route with you on the {weekday} before, so that nobody has to guess.",
        "Nothing is booked back to back: the house is yours from {weekday} noon until the last breakfast.",
        "If the weather turns, {few} of us can carry {60-140} chairs from {outside} to the {room} in ten minutes.",
        "There is no corkage on wine you bring yourselves, and the {staff} will chill it without being asked.",
        "Families with small children tend to settle in the {room}, where there is a fire and somewhere to lie down.",
        "We plant {outside} twice a year, so a wedding in {month} looks quite different from one in {month}.",
        "Musicians like the {room} because the boards are old and the ceiling forgives a loud drummer.",
        "{meal} can be served at one long table or at rounds of ten; both fit without hiding the doors.",
        "The last train leaves at 23:{10-50}, and our {staff} knows {few} drivers who answer the telephone.",
        "You may light candles anywhere except in the {room}, which has a thatched corner we should like to keep.",
        "Photographs are usually taken on the steps, but {outside} is quieter and faces west.",
    ),
    "room": ("long barn", "oak hall", "orangery", "old dairy", "music room", "loft", "granary"),
    "outside": ("the walled garden", "the orchard", "the mill pond", "the west lawn", "the lime walk", "the courtyard"),
    "meal": ("supper", "a wedding breakfast", "afternoon tea", "a hog roast", "a five-course dinner"),
    "worry": (
        "dogs are welcome",
        "the ceremony can be held outdoors",
        "they may bring their own cook",
        "confetti is allowed",
        "the bells can be rung late",
        "a band may play after midnight",
    ),
    "staff": ("gardener", "house manager", "cook", "porter", "wedding planner"),
    "caption": (
        "{few} chairs left in {outside} after the vows",
        "The {room} laid for {40-160} in {month}",
        "Lanterns along {outside} on a {season} evening",
        "A {weekday} morning in the {room}",
        "Guests crossing {outside} before {meal}",
        "Apple boughs over the door of the {room}",
    ),
}

_DOCS: Grammar = {
    "fact": (
        "{name} checked this page against build {1000-9999} with {12-97} brokers on one rack.",
        "The figures here were taken by {name} in {month}, over {12-97} runs of {1000-9999} messages each.",
        "Thanks go to {name}, whose report of {1000-9999} stalled deliveries in {12-97} minutes led to this text.",
    ),
    "sentence": (
        "The {part} reads its {setting} once at start, so a change takes effect only after {action}.",
        "When {condition}, the {part} {response} and writes one line to the log.",
        "A {thing} is never shared between {part} and {part}; each keeps its own copy in memory.",
        "Set the {setting} to zero to switch the check off, which is sensible only while you are testing.",
        "Every {thing} carries a sequence number, and a gap in the numbers is reported rather than repaired.",
        "Before version 2 the {setting} was counted in milliseconds; it is counted in seconds now.",
        "If you run more than {few} instances, give each its own {setting} to keep the {thing} order stable.",
        "The default suits a laptop; on a busy host {action} is usually worth the trouble.",
        "Acknowledge a {thing} only after your own write has been committed, otherwise it is lost when {condition}.",
        "Nothing in the {part} blocks: a slow consumer costs memory, not the throughput of its neighbours.",
        "Use the command line for a first look and the client library for anything that has to last.",
        "The {part} {response}, which is why the example below waits for the reply before it goes on.",
        "Metrics are kept per {thing} and per {part}, and are reset by {action}.",
        "You can recognise the problem by a {setting} that grows while the number of consumers stays the same.",
    ),
    "part": ("broker", "router", "gate", "scheduler", "ledger", "consumer group", "replica"),
    "thing": ("message", "lease", "topic", "batch", "cursor", "receipt"),
    "setting": ("high-water mark", "retention window", "lease time", "prefetch count", "segment size", "back-off"),
    "action": ("a reload", "a rolling restart", "draining the queue", "an upgrade in place", "rotating the segments"),
    "condition": (
        "a consumer dies with unacknowledged work",
        "the disk is nearly full",
        "two replicas disagree",
        "the clock jumps backwards",
        "a client sends faster than it reads",
    ),
    "response": ("refuses new work", "slows the sender down", "hands the lease on", "keeps the older copy", "retries"),
    "admonition": (
        "Keep a copy of the ledger before {action}; there is no way back.",
        "The {part} must not run as root.",
        "A {setting} above an hour hides real faults.",
        "This works the same on every supported platform.",
    ),
}

_NEWS: Grammar = {
    "fact": (
        "{name}, who has followed the matter since {1961-1998}, counted {110-990} signatures before the doors closed.",
        "By {weekday} evening {name} had spoken to {110-990} households, most of them settled here since {1961-1998}.",
        "A ledger kept by {name} since {1961-1998} puts the figure at {110-990}, rather more than anybody expected.",
    ),
    "sentence": (
        "The {body} met on {weekday} and, after {few} hours, put off the decision until {month}.",
        "“We have waited long enough,” said {name}, who runs the {shop} on {street}.",
        "Nobody at the {body} would say how much the {work} has cost so far.",
        "Residents of {street} were told by letter that {trouble}, with {few} days to object.",
        "The {work} was first promised in {1988-2015} and has been on every agenda since.",
        "A spokesman for the {body} called the delay regrettable and pointed to the price of stone.",
        "{name} remembers when {street} flooded as far as the {shop} and boats were tied to the lamp posts.",
        "Traffic will be sent round by {street} while the {work} lasts, which is likely to be until {month}.",
        "About {30-300} people came to the {hall}, and most of them stayed to the end.",
        "Children from the village school planted {30-300} saplings beside the {work} on {weekday}.",
        "The {shop} reopened on {weekday} with a new roof and the same prices.",
        "Volunteers have raised {few} thousand pounds, about half of what the {work} needs.",
        "Not everyone is pleased: {name} of {street} fears that {trouble}.",
        "The {body} will publish the full report in {month}, and copies will lie in the {hall}.",
    ),
    "body": ("parish council", "harbour board", "county surveyor's office", "school board", "river trust"),
    "shop": ("bakery", "ironmonger's", "post office", "boatyard", "pharmacy", "bookshop"),
    "street": ("Quay Street", "Mill Lane", "Chapel Row", "the Strand", "Ropewalk", "Upper Green"),
    "work": ("sea wall", "footbridge", "ferry slip", "library roof", "market hall", "cycle path", "weir"),
    "hall": ("Temperance Hall", "sailing club", "church room", "old courthouse"),
    "trouble": (
        "the last bus would be withdrawn",
        "parking would be charged for",
        "the well would be capped",
        "the night ferry would end",
        "the allotments would be sold",
    ),
    "headline": (
        "{body} agrees to mend the {work}",
        "{work} shut until {month} after cracks are found",
        "{shop} on {street} saved by its customers",
        "{few} hundred gather to defend the {work}",
        "Plans for the {work} go on show at the {hall}",
        "{street} residents fear that {trouble}",
        "{body} under fire over {work} bill",
        "{month} gales delay the {work}",
        "New keeper takes over the {shop} on {street}",
        "A quiet {season} for the {work}, says the {body}",
    ),
}

_FOOD: Grammar = {
    "fact": (
        "{name} brought this to a kitchen table in {month} and has made it {110-990} times in {3-29} years since.",
        "Of {110-990} letters about it, the one by {name} persuaded us to leave it for {3-29} minutes longer.",
        "{name} grows enough for {110-990} jars a year on a plot of {3-29} rods.",
    ),
    "sentence": (
        "Warm the {pan} slowly; {vegetable} that catches at the edge will taste of nothing else.",
        "Use {vegetable} from the market if you can, and the smaller ones before the handsome ones.",
        "A spoonful of {pantry} at the end rounds off the salt and costs nothing.",
        "It keeps for {few} days in a cool larder and is better on the second.",
        "Leave the lid ajar, or the steam will undo the work of the last {10-40} minutes.",
        "If the {vegetable} is old, blanch it first and throw that water away.",
        "Serve with {side} and something sharp, such as {pantry}.",
        "Do not be tempted to stir; the crust at the bottom of the {pan} is the best part.",
        "In {month} we use {vegetable} instead, which needs half the time.",
        "The dough should feel like an earlobe, soft but not sticky, before it goes near the {pan}.",
        "Taste, wait, and taste again: {pantry} grows stronger as it stands.",
    ),
    "pan": ("heavy pan", "casserole", "griddle", "roasting tin", "copper pot"),
    "vegetable": ("kale", "fennel", "celeriac", "chard", "beetroot", "red cabbage", "pumpkin"),
    "pantry": (
        "cider vinegar",
        "anchovy paste",
        "toasted rye crumbs",
        "preserved lemon",
        "mustard seed",
        "brown butter",
    ),
    "side": ("flatbread", "pearl barley", "new potatoes", "a green salad", "buttered noodles"),
    "amount": (
        "{100-900} g {vegetable}",
        "{few} spoonfuls of {pantry}",
        "{100-900} ml stock",
        "{few} eggs",
        "a pinch of salt",
    ),
}

_LIBRARY: Grammar = {
    "fact": (
        "{name} gave {110-990} volumes to this shelf in {1841-1938}, on condition that none of them leave the room.",
        "The catalogue card, written by {name} in {1841-1938}, bears the number {110-990} and a small drawn heron.",
        "Rebound in {1841-1938} for {name}, it was lent {110-990} times before the reading room closed for the war.",
    ),
    "sentence": (
        "Members may keep a {item} for {few} weeks and renew it once, unless another reader is waiting.",
        "The {place} is warm in {season} and is therefore full by ten on any {weekday}.",
        "Pencils only, please: ink has cost us {few} good copies of the {item} since the war.",
        "The {item} was bought at the sale of a shipowner's effects and arrived in a laundry basket.",
        "Ask at the desk in the {place} and the {item} will be brought up within the hour.",
        "Readers from abroad are admitted for a {season} on the word of {few} members.",
        "A {item} that returns late is not fined; its borrower reads aloud at the {weekday} gathering instead.",
        "The index fills {10-60} drawers in the {place} and has never been copied.",
        "Light is poor in the {place} after four, so lamps may be borrowed against a signature.",
        "The committee meets in {month} to choose what is bought, and members may propose a {item} each.",
        "Footnotes in the {item} disagree with its own map, which has kept our reading circle busy for years.",
    ),
    "item": ("chart", "county history", "herbal", "sermon collection", "ship's log", "sea atlas", "grammar"),
    "place": ("map room", "gallery", "long reading room", "basement stack", "annexe"),
}

_WORLD: Grammar = {
    "fact": (
        "In year {110-990} of the Reckoning {name} is said to have counted {12-97} lanterns here from the causeway.",
        "According to the ledger of {name}, exactly {110-990} marks of silver changed hands here over {12-97} nights.",
        "Players have met {name} here since patch {12-97}, and {110-990} of them have left a stone on the cairn.",
    ),
    "sentence": (
        "Travellers from [[{region}]] reach it by {way}, a journey of {few} days in {season}.",
        "It is first mentioned by [[{person}]], who mistook it for {way} near [[{region}]].",
        "The [[{beast}]] comes here after rain and is gone before the first frost.",
        "During the [[{event}]] most of the people fled to [[{region}]] and few came back.",
        "The [[{relic}]] is kept nearby, though [[{person}]] denies it whenever asked.",
        "Songs about it are still sung in [[{region}]], usually with the last verse left out.",
        "A player who carries the [[{relic}]] is greeted by name and charged double.",
        "No road leads there; {way} is marked only on the map drawn by [[{person}]].",
        "Since the [[{event}]] its gates have been shut from dusk until the bell of [[{region}]] is heard.",
        "Scholars disagree whether [[{person}]] or the [[{relic}]] gave it its name.",
        "The [[{beast}]] is harmless by day, which is how [[{person}]] lost an eye.",
        "Trade with [[{region}]] brings {goods} in {month} and little else.",
    ),
    "way": ("the causeway", "the salt road", "a rope ferry", "the drowned stair", "the high pass"),
    "goods": ("tallow and rope", "dried eel", "blue glass", "barley", "peat and amber"),
    "region": (
        "Ashmere",
        "Brackenfold",
        "Candlewick",
        "Dunmarrow",
        "Emberfen",
        "Fallowmouth",
        "Greywater",
        "Hollin Vale",
    ),
    "person": ("Aldous Wren", "Brida the Ferrywoman", "Corvin Sallow", "Isolde Marsh", "Old Tam", "Rök of the Bridge"),
    "beast": ("Bog lantern", "Cinder hound", "Fen heron", "Mire toad", "Salt wolf"),
    "relic": ("Bell of Low Water", "Drowned Crown", "Lantern Oath", "Reed Flute", "Tithe Stone"),
    "event": ("Long Flood", "War of Three Tides", "Night of Lamps"),
}

GRAMMARS: dict[str, Grammar] = {
    "brochure": _VENUE,
    "docs": _DOCS,
    "news": _NEWS,
    "spa": _FOOD,
    "wall": _LIBRARY,
    "wiki": _WORLD,
}
