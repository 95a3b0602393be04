"""A local site whose pages change, and which tells of it as it is told to."""

import time
from email.utils import formatdate

from odd_site import SHELL, WORDS, Handler, odd_site, page
from sqlalchemy import update

from wikicrawl.store import open_store, schema

__all__ = ["Living", "living_site", "make_due"]


class Living(Handler):
    """`server.texts` says what pages say; `server.etags` and `server.modified` what is told of them."""

    def get_page(self):
        name = self.path.partition("?")[0].rpartition("/")[2]
        server = self.server
        text = server.texts.get(name, "Nothing yet.")
        etag = server.etags.get(name, "")
        asked = self.headers.get("If-None-Match", "")
        server.asked.append((self.path, asked, self.headers.get("If-Modified-Since", "")))
        headers = {"ETag": etag} if etag else {}
        if name in server.modified:
            headers["Last_Modified"] = formatdate(server.modified[name], usegmt=True)
        if name in server.statuses:
            self.send(server.statuses[name], page("Trouble"), **headers)
        elif etag and etag in [tag.strip() for tag in asked.split(",")]:
            self.send_response(304)
            self.send_header("ETag", etag)
            self.end_headers()
        else:
            self.send(200, page(name, f"{text} {WORDS * 8}", links=server.more), **headers)

    def get_app(self):
        server = self.server
        server.asked.append((self.path, self.headers.get("If-None-Match", ""), ""))
        self.send(200, SHELL, ETag='"shell"')

    def get_home(self):
        self.send(200, page("Home", links=self.server.links).replace("<main>", f"{self.server.home_head}<main>"))

    def get_sitemap_xml(self):
        etag = self.server.etags.get("sitemap.xml", "")
        asked = self.headers.get("If-None-Match", "")
        self.server.asked.append((self.path, asked, ""))
        if not self.server.sitemap:
            self.send(self.server.statuses.get("sitemap.xml", 404), page("Trouble"))
        elif etag and etag == asked:
            self.send_response(304)
            self.end_headers()
        else:
            self.send(200, self.server.sitemap, "application/xml", **({"ETag": etag} if etag else {}))

    def get_feed(self):
        self.send(200, self.server.feed, "application/rss+xml")

    def get_moved(self):
        self.send(302, "", Location="/page/target")


def living_site(*links):
    """As odd_site, which it is but for its pages."""
    context = odd_site(*links)

    class Site:
        def __enter__(self):
            site = context.__enter__()
            site.RequestHandlerClass = Living
            site.texts, site.etags, site.modified, site.statuses = {}, {}, {}, {}
            site.asked, site.more, site.sitemap, site.feed, site.home_head = [], (), "", "", ""
            return site

        def __exit__(self, *error):
            return context.__exit__(*error)

    return Site()


def make_due(store_url):
    """As if time had passed: what is to be visited again is due, and lists have not been read for long."""
    store = open_store(store_url)
    with store.engine.begin() as connection:
        connection.execute(update(schema.page).where(schema.page.c.due > 0).values(due=1))
        connection.execute(update(schema.source).values(seeded_at=1))
        connection.execute(
            update(schema.site_list).where(schema.site_list.c.read_at > 0).values(read_at=int(time.time()) - 7200)
        )
    store.close()
