"""A recipe shop in one empty HTML page: script fetches JSON and renders what the address says."""

from __future__ import annotations

import json
from typing import Any

from wikicrawl.demo.site import BUILT, HTML, XML, Answer, Ask, Site, robots, sitemap_xml
from wikicrawl.demo.words import Prose, slug

RECIPES = (
    "Leek and barley tart",
    "Beetroot soup with rye",
    "Chard fritters",
    "Roast fennel and orange",
    "Celeriac in brown butter",
    "Shallot jam",
    "Parsnip bread",
    "Pickled radishes",
    "Buttermilk pancakes",
    "Apple and thyme cake",
)
TITLES = {
    "/": "Larder Lane",
    "/recipes": "Recipes",
    "/shop": "Shop",
    "/delivery": "Delivery",
    "/about": "About us",
} | {f"/recipes/{slug(name)}": name for name in RECIPES}
MENU = ("/", "/recipes", "/shop", "/delivery", "/about")

SCRIPT_PATH = "/assets/index-Bq3vX9Lk.js"
STYLE_PATH = "/assets/index-D0fTz7aW.css"
SHELL = f"""<!doctype html>
<html lang="en">
  <head>
    <meta charset="UTF-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1.0" />
    <title>Larder Lane</title>
    <script type="module" crossorigin src="{SCRIPT_PATH}"></script>
    <link rel="stylesheet" crossorigin href="{STYLE_PATH}">
  </head>
  <body>
    <div id="app"></div>
  </body>
</html>
"""
STYLE = """body{margin:0;font:17px/1.6 system-ui,sans-serif;color:#26301f;background:#f8f7f1}a{color:#3d6b2e}
header{padding:1rem 5vw;background:#3d6b2e}header a{color:#fff;margin-right:1rem;text-decoration:none}
main{max-width:44rem;margin:2rem auto;padding:0 1rem}h1{line-height:1.2}
table{border-collapse:collapse;width:100%}th,td{border-bottom:1px solid #ccd2c0;padding:.4rem;text-align:left}
footer{padding:2rem 5vw;color:#66705c;font-size:.9rem}
"""
SCRIPT = """const element = (tag, properties = {}, ...children) => {
  const node = Object.assign(document.createElement(tag), properties);
  node.append(...children);
  return node;
};
const link = ({href, label}) => element("a", {href}, label);
const row = (cells, tag) => element("tr", {}, ...cells.map(cell => element(tag, {}, cell)));
const blocks = {
  heading: ({text}) => element("h2", {}, text),
  text: ({text}) => element("p", {}, text),
  list: ({items}) => element("ul", {}, ...items.map(item => element("li", {}, item))),
  steps: ({items}) => element("ol", {}, ...items.map(item => element("li", {}, item))),
  links: ({items}) => element("ul", {}, ...items.map(item => element("li", {}, link(item), " ", item.note))),
  table: ({head, rows}) => element("table", {},
    element("thead", {}, row(head, "th")), element("tbody", {}, ...rows.map(cells => row(cells, "td")))),
};
const json = async url => {
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(answer.status);
  return answer.json();
};
const site = json("/api/site.json");
const load = path => json(`/api/pages${path === "/" ? "/home" : path}.json`).catch(
  () => ({title: "Not found", blocks: [{kind: "text", text: "There is nothing on this shelf."}]}));
const show = async () => {
  const {menu, name} = await site;
  const {title, blocks: parts} = await load(location.pathname.replace(/(.)\\/$/, "$1"));
  document.title = `${title} · ${name}`;
  document.getElementById("app").replaceChildren(
    element("header", {}, element("nav", {}, ...menu.flatMap(item => [link(item), " "]))),
    element("main", {}, element("h1", {}, title), ...parts.map(part => blocks[part.kind](part))),
    element("footer", {}, `${name}, food worth the walk.`));
};
addEventListener("popstate", show);
addEventListener("click", event => {
  const anchor = event.target.closest("a");
  if (!anchor || anchor.origin !== location.origin) return;
  event.preventDefault();
  history.pushState(null, "", anchor.href);
  show();
});
show();
"""


def pages() -> dict[str, int]:
    return dict.fromkeys(TITLES, BUILT)


def answer(site: Site, ask: Ask) -> Answer:
    path = ask.path
    if path.startswith("/api/"):
        return api(site, path)
    files = {
        SCRIPT_PATH: (SCRIPT.encode(), "text/javascript; charset=utf-8"),
        STYLE_PATH: (STYLE.encode(), "text/css; charset=utf-8"),
    }
    if path in files:
        return Answer(*files[path], modified=BUILT)
    if path == "/robots.txt":
        return robots(site)
    if path == "/sitemap.xml":
        return Answer(sitemap_xml(site, ["/"]), XML)
    if path.startswith("/assets/") or path == "/favicon.ico":
        return Answer(b"Not found", "text/plain; charset=utf-8", 404)
    return Answer(SHELL.encode(), HTML, modified=BUILT)


def api(site: Site, path: str) -> Answer:
    pages_by_file = {f"/api/pages{'/home' if page == '/' else page}.json": page for page in TITLES}
    if path == "/api/site.json":
        menu = [{"href": each, "label": TITLES[each]} for each in MENU]
        return as_json({"name": "Larder Lane", "menu": menu}, modified=BUILT)
    if path not in pages_by_file:
        return as_json({"error": "no such page"}, status=404)
    page = pages_by_file[path]
    return as_json({"title": TITLES[page], "blocks": blocks(site, page)}, modified=site.modified(page))


def as_json(value: dict[str, Any], *, status: int = 200, modified: int | None = None) -> Answer:
    return Answer(json.dumps(value).encode(), "application/json", status, modified)


def blocks(site: Site, path: str) -> list[dict[str, Any]]:
    prose, fact = Prose(site.name, path), site.fact(path)
    lead = [{"kind": "text", "text": prose.paragraph(3)}, {"kind": "text", "text": f"{fact} {prose.paragraph(1)}"}]
    if path.startswith("/recipes/"):
        return lead + recipe(prose)
    if path in ("/", "/recipes"):
        shown = RECIPES if path == "/recipes" else RECIPES[:3]
        return [*lead, {"kind": "links", "items": [recipe_link(name, prose) for name in shown]}]
    if path == "/shop":
        rows = [[name, f"£{prose.random.randint(3, 12)}.50"] for name in RECIPES[5:9]]
        return [*lead, {"kind": "table", "head": ["Jar or loaf", "Price"], "rows": rows}]
    return [*lead, {"kind": "text", "text": prose.paragraph(4)}]


def recipe_link(name: str, prose: Prose) -> dict[str, str]:
    return {"href": f"/recipes/{slug(name)}", "label": name, "note": prose.sentence()}


def recipe(prose: Prose) -> list[dict[str, Any]]:
    return [
        {"kind": "heading", "text": "You need"},
        {"kind": "list", "items": [prose.say("amount") for _ in range(5)]},
        {"kind": "heading", "text": "Method"},
        {"kind": "steps", "items": [prose.paragraph(2) for _ in range(4)]},
    ]
