"""Recognise the pages that bot walls send instead of the page asked for."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from selectolax.lexbor import LexborNode

# Headers a wall sets only when it stops the request. `cf-ray`, `x-iinfo`, `x-kpsdk-ct` and the like are on every page
# of a customer and say nothing.
HEADERS = (
    ("cf-mitigated", "challenge", "cloudflare"),
    ("x-vercel-mitigated", "", "vercel"),
    ("x-amzn-waf-action", "", "aws_waf"),
)

# What only the wall's own page loads, runs or names. A widget or sensor in a customer's ordinary pages is not here:
# Turnstile's api.js, Cloudflare's jsd/main.js, Imperva's ?SWJIYLWA script, DataDome's tags.js, HUMAN's _pxAppId,
# Akamai's pixel, the AWS WAF challenge.js.
MARKS = (
    ("_cf_chl_opt", "cloudflare"),
    ("/orchestrate/chl_page/", "cloudflare"),
    ("/orchestrate/jsch/", "cloudflare"),
    ("cf-browser-verification", "cloudflare"),
    ("captcha-delivery.com", "datadome"),
    ("px-captcha", "perimeterx"),
    ("sec-if-cpt-container", "akamai"),
    ("sec-cpt-if", "akamai"),
    ("bm-verify=", "akamai"),
    ("_incapsula_resource?swudnsai", "imperva"),
    ("_incapsula_resource?cwudnsai", "imperva"),
    ("incapsula incident id", "imperva"),
    ("gokuprops", "aws_waf"),
    ("sucuri_cloudproxy_js", "sucuri"),
    ("sucuri-firewall-block", "sucuri"),
    ("/.well-known/ddos-guard/", "ddos_guard"),
    ("/.well-known/vercel/security/", "vercel"),
    ("anubis_challenge", "anubis"),
    ("/.within.website/x/cmd/anubis/", "anubis"),
    ("kpsdk.start", "kasada"),
    ("kp_uidz=", "kasada"),
    ("/go-away/cmd/", "challenge"),
    ("/.well-known/sgcaptcha/", "challenge"),  # SiteGround
    ('"bereshit"', "challenge"),  # Reblaze
    ("window['$_ts']", "challenge"),  # Ruishu
    ("acw_sc__v2", "challenge"),  # Alibaba Cloud
    ("wsidchk", "challenge"),  # Imunify360
    ("/_fs-ch-", "challenge"),  # Fastly
    ("validate.perfdrive.com", "challenge"),  # Radware
)

# What the page says. Anyone may write these words, so they count only where the status already refuses.
PHRASES = (
    (re.compile(r"\| cloudflare|used cloudflare to restrict access|just a moment\.\.\."), "cloudflare"),
    (re.compile(r"errors\.edgesuite\.net|reference #[0-9a-f]+\.[0-9a-f]+\.[0-9]+"), "akamai"),
    (re.compile(r"access to this page has been denied|press & hold to confirm"), "perimeterx"),
    (re.compile(r"pardon our interruption|incapsula incident id"), "imperva"),
    (re.compile(r"sucuri website firewall|sucuri cloudproxy"), "sucuri"),
    (re.compile(r"vercel security checkpoint"), "vercel"),
    (re.compile(r"^ddos-guard"), "ddos_guard"),
    (
        re.compile(
            r"checking (?:if the site connection is secure|your browser)|bot verification|robot or human"
            r"|verif(?:y|ying) (?:that )?you(?:'re| are) (?:a )?(?:human|not a (?:ro)?bot)"
        ),
        "challenge",
    ),
)

# A wall of no known vendor: its script sets a cookie and asks for the page again.
_SETS_COOKIE = re.compile(r"document\.cookie\s*=[^=]")
_ASKS_AGAIN = re.compile(r"location\.(?:reload|replace|assign)\s*\(|location(?:\.href)?\s*=[^=]")
# Walls set their marks early; what follows is packed script.
_LOOKED_AT = 30_000
# No other meta or link: a content security policy and a preconnect name the vendors of ordinary pages.
_PARTS = "script, iframe, form, link[rel=stylesheet], meta[http-equiv=refresh i], meta[content=px-captcha], [id]"
_PLACES = ("id", "src", "href", "action", "content")


def by_headers(headers: Mapping[str, str]) -> str:
    """The vendor that says in a header that it stopped the request, or ''."""
    return next((reason for name, value, reason in HEADERS if name in headers and value in headers[name].lower()), "")


def by_markup(markup: str) -> str:
    return next((reason for mark, reason in MARKS if mark in markup), "")


def by_words(said: str) -> str:
    """The vendor whose wall speaks so, or ''; for refused requests only."""
    return next((reason for phrase, reason in PHRASES if phrase.search(said)), "")


def is_cookie_wall(markup: str) -> bool:
    return bool(_SETS_COOKIE.search(markup) and _ASKS_AGAIN.search(markup))


def markup_of(root: LexborNode) -> str:
    """What a page runs, loads and names, in lower case, without what it says: an article may quote any mark."""
    found: list[str] = []
    for node in root.css(_PARTS):
        attributes = node.attributes
        found += [value for place in _PLACES if (value := attributes.get(place))]
        if node.tag in ("script", "iframe"):
            found.append(node.text()[:_LOOKED_AT])
    return "\n".join(found)[:_LOOKED_AT].lower()
