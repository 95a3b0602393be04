"""Finished pages that look poor to a machine; none needs a browser."""

from __future__ import annotations

import json

from judge.shells import FOOTER, NAV, document

GTM = (
    '<noscript><iframe src="https://www.googletagmanager.com/ns.html?id=GTM-AB12CD" height="0" width="0" '
    'style="display:none;visibility:hidden"></iframe></noscript><script>(function(w,d,s,l,i){w[l]=w[l]||[]})(window,document,"script",'
    '"dataLayer","GTM-AB12CD")</script>'
)
SCRIPTS = "".join(f'<script src="/wp-content/plugins/p{n}/main.min.js?ver=6.4"></script>' for n in range(24))
PARAGRAPHS = (
    "<p>The harbour was built in 1894 after two winters in which no ship could land, and its mole is still the longest on this "
    "coast. Visitors reach the lighthouse at its end by a path that the sea closes at high tide.</p><p>In summer the museum opens at "
    "ten; the boat sheds behind it hold eleven fishing boats, four of which still sail on the last Sunday of each month. Children "
    "may help to raise the sails. Dogs are welcome on the path but not aboard.</p><p>Tickets are sold at the gate. Residents pay "
    "nothing on Mondays, and the guided walk at three is included for everybody.</p>"
)

LEGITIMATE = {
    "disambiguation_list": document(
        "",
        '<div id="content"><h1>Mercury</h1><p><b>Mercury</b> may refer to:</p><ul>'
        + "".join(
            f'<li><a href="/wiki/{name}">{name.replace("_", " ")}</a></li>'
            for name in (
                "Mercury_(planet)",
                "Mercury_(element)",
                "Mercury_(mythology)",
                "Freddie_Mercury",
                "Mercury_Records",
            )
        )
        + "</ul></div><script src='/load.php?modules=startup'></script>",
    ),
    "directory_index": (
        '<html>\r\n<head><title>Index of /pub/</title></head>\r\n<body>\r\n<h1>Index of /pub/</h1><hr><pre><a href="../">../</a>\r\n'
        '<a href="debian/">debian/</a>                 21-Sep-2026 10:14       -\r\n<a href="README">README</a>                  '
        "02-Jan-2024 09:00     212\r\n</pre><hr></body>\r\n</html>"
    ),
    "image_page": document(
        "",
        '<a href="/gallery"><img src="/img/2026/falls.jpg" alt="Waterfall at dusk" width="1600" height="1067"></a><script src="/lightbox.js"></script>',
    ),
    "thank_you_page": document(
        '<script>document.cookie = "lead=1; path=/";</script>',
        f"{GTM}{NAV}<div class='page'><h1>Thank you!</h1><p>We have received your message and will reply within two working days.</p>"
        f"<a href='/'>Back to the shop</a></div>{FOOTER}",
    ),
    "contact_page_with_a_map": document(
        "",
        f'{NAV}<main><h1>Visit us</h1><p>12 Quay Street, Harwich CO12 3HH</p><iframe src="https://www.google.com/maps/embed?pb=1" width="600" '
        f'height="450" loading="lazy"></iframe></main>{FOOTER}{SCRIPTS}',
    ),
    "link_hub": document(
        "",
        '<div class="hub"><img src="/me.jpg" alt=""><h1>@nordwind</h1>'
        + "".join(
            f'<a class="btn" href="https://example.com/{n}">{name}</a>'
            for n, name in enumerate(("Shop", "Blog", "Newsletter", "Podcast", "Film"))
        )
        + '</div><script src="/hub.js"></script>',
    ),
    "gallery": document(
        "",
        f"{NAV}<main class='gallery'>"
        + "".join(f'<figure><img loading="lazy" src="/g/{n}.jpg" alt="Photo {n}"></figure>' for n in range(12))
        + f"</main>{FOOTER}<script src='/masonry.pkgd.min.js'></script>",
    ),
    "server_rendered_next": document(
        '<script src="/_next/static/chunks/main.js" defer=""></script>',
        f'<div id="__next"><header><nav><a href="/">Home</a></nav></header><main><h1>The harbour</h1>{PARAGRAPHS}</main></div>'
        f'<script id="__NEXT_DATA__" type="application/json">{json.dumps({"props": {"pageProps": {"html": PARAGRAPHS * 60}}})}</script>',
    ),
    "streamed_next": document(
        '<script src="/_next/static/chunks/main.js" async=""></script>',
        f'<!--$?--><template id="B:0"></template><!--/$--><div hidden id="S:0"><main><h1>The harbour</h1>{PARAGRAPHS}</main></div>'
        '<script>$RC=function(b,c,e){};$RC("B:0","S:0")</script>',
    ),
    "contact_form_with_recaptcha": document(
        '<script src="https://www.google.com/recaptcha/api.js" async defer></script>',
        f'{NAV}<main><h1>Contact us</h1><form method="post"><label>Name <input name="name"></label><label>Message <textarea name="m"></textarea></label>'
        f'<div class="g-recaptcha" data-sitekey="6Lc"></div><button>Send</button></form></main>{FOOTER}',
    ),
    "login_with_turnstile": document(
        '<script src="https://challenges.cloudflare.com/turnstile/v0/api.js" async defer></script><script>window.__CF$cv$params={r:"8f",t:"MTc="};'
        'var a=document.createElement("script");a.src="/cdn-cgi/challenge-platform/scripts/jsd/main.js"</script>',
        '<form action="/login" method="post"><h1>Log in</h1><input name="user" placeholder="Name"><input type="password" name="password">'
        '<div class="cf-turnstile" data-sitekey="0x4AAA"></div><p>Verify you are human</p><button>Log in</button></form>',
    ),
    "sign_up_with_hcaptcha": document(
        '<script src="https://js.hcaptcha.com/1/api.js" async defer></script>',
        '<h1>Newsletter</h1><p>One letter a month, with tides and walks.</p><form method="post"><input type="email" name="email">'
        '<div class="h-captcha" data-sitekey="10000000"></div><button>Subscribe</button></form>',
    ),
    "short_post_quoting_a_challenge": document(
        '<script src="/theme.js"></script>',
        f"{NAV}<article><h1>Just a moment...</h1><p>Scrapers stall at this page because Cloudflare wants a script to run. Look for the object it "
        "sets:</p><pre><code>window._cf_chl_opt = {cType: 'managed'}; // /orchestrate/chl_page/v1 · captcha-delivery.com · px-captcha</code></pre>"
        f"<p>There is no way around it but a browser.</p></article>{FOOTER}",
    ),
    "long_post_about_challenges": document(
        '<script src="/theme.js"></script>',
        "<article><h1>How bot walls work</h1>"
        + "<p>A wall such as Cloudflare's asks the browser to run a script: _cf_chl_opt, gokuProps and anubis_challenge are marks of three of them. "
        "Please enable JavaScript and cookies to continue, says the page, or: checking your browser. A captcha is the last resort.</p>"
        * 12
        + "</article>",
    ),
    "page_of_an_imperva_and_datadome_customer": document(
        '<script type="text/javascript" src="/_Incapsula_Resource?SWJIYLWA=719d34d31c8e3a6e6fffd425f7e032f3"></script>'
        '<script>window.ddjskey="A1B2";window.ddoptions={ajaxListenerPath:true}</script><script src="https://js.datadome.co/tags.js" async></script>'
        '<script>window._pxAppId="PXabc"</script><script src="//client.perimeterx.net/PXabc/main.min.js" async></script>'
        '<meta http-equiv="Content-Security-Policy" content="frame-src https://geo.captcha-delivery.com">',
        f"{NAV}<main><h1>Trail stove</h1><p>Boils a litre of water in four minutes, weighs 83 grams. In stock, £24.</p></main>{FOOTER}",
    ),
    "page_with_a_loading_widget": document(
        "",
        f"{NAV}<main><h1>Tide tables</h1><p>High water at Harwich on Monday is at 11:42 and again shortly before midnight.</p>"
        f'<div id="comments" aria-busy="true"><p>Loading…</p></div></main>{FOOTER}<script src="/comments.js"></script>',
    ),
    "post_with_disqus": document(
        "",
        "<article><h1>Low tide</h1><p>Walked out to the wreck this morning. Nobody there but two curlews.</p></article><div id='disqus_thread'></div>"
        '<script src="https://nordwind.disqus.com/embed.js"></script><noscript>Please enable JavaScript to view the <a href="https://disqus.com/'
        '?ref_noscript">comments powered by Disqus.</a></noscript>',
    ),
    "page_with_a_wpforms_form": document(
        "",
        f'{NAV}<main><h1>Book a table</h1><noscript class="wpforms-error-noscript">Please enable JavaScript in your browser to complete this form.'
        f'</noscript><form><label>Name</label><input name="n"><button>Send</button></form></main>{FOOTER}{SCRIPTS}',
    ),
    "page_with_noscript_styles": document(
        "",
        "<noscript><style>.no-js .lazyload{display:none} .js img{opacity:0}</style></noscript><h1>Opening hours</h1>"
        "<p>Daily from ten to five, on Sundays from noon.</p><script src='/lazy.js'></script>",
    ),
    "login_page": document(
        '<script src="/auth.js"></script>',
        '<form method="post" action="/session"><label>User <input name="u"></label><label>Password <input type="password" name="p"></label>'
        "<button>Sign in</button></form>",
    ),
    "empty_search_result": document(
        "",
        f'{NAV}<main><h1>Search</h1><form><input name="q" value="zebra"></form><p>No results for “zebra”.</p></main>{FOOTER}<script src="/s.js"></script>',
    ),
    "one_sentence": document(
        GTM, "<p>This domain is kept for the readers of the old almanac and has no pages of its own.</p>"
    ),
    "it_works": "<html><body><h1>It works!</h1></body></html>",
    "definition_page": document(
        "",
        f"{NAV}<main><h1>neap tide</h1><dl><dt>neap tide</dt><dd>a tide just after the first or third quarter of the moon</dd></dl></main>{SCRIPTS}",
    ),
    "table_only": document(
        "",
        "<table><tr><th>Port</th><th>High</th><th>Low</th></tr>"
        + "".join(f"<tr><td>Pier {n}</td><td>{n}:12</td><td>{n}:48</td></tr>" for n in range(1, 9))
        + f"</table>{SCRIPTS}",
    ),
    "code_only": document(
        "",
        "<pre><code>def tide(hour):\n    return round(2.1 * sin(hour / 12.42 * tau), 2)\n</code></pre><script src='/prism.js'></script>",
    ),
    "poem": document(
        "",
        f"{NAV}<main><h1>Ebb</h1><p>The boats lie down<br>like tired dogs,<br>the harbour breathes<br>out all its fog.</p></main>{FOOTER}<script src='/t.js'></script>",
    ),
    "short_chinese": document(
        "",
        "<main><h1>潮汐</h1><p>今日高潮时间为上午十一点四十二分，低潮时间为下午五点五十分。</p></main><script src='/a.js'></script>",
    ),
    "short_japanese": document(
        "", "<div><p>本日の営業は終了しました。明日は午前十時に開館いたします。</p></div><script src='/a.js'></script>"
    ),
    "short_arabic": document(
        "",
        '<div dir="rtl"><p>المتحف مغلق اليوم بسبب العطلة ويفتح أبوابه غدا في العاشرة صباحا.</p></div><script src="/a.js"></script>',
    ),
    "text_in_the_header": document(
        "", f'<header class="hero"><h2>The harbour</h2>{PARAGRAPHS}{PARAGRAPHS}</header><script src="/a.js"></script>'
    ),
    "wrapper_named_after_its_footer": document(
        "",
        f'<div class="page sticky-footer"><h2>The harbour</h2>{PARAGRAPHS}{PARAGRAPHS}</div><script src="/a.js"></script>',
    ),
    "forum_whose_posts_are_in_noscript": document(
        '<script src="/assets/discourse.js" defer></script>',
        f'<section id="d-splash"><div class="dots"></div></section><noscript data-path="/t/1"><div id="main-outlet"><h1>Tides</h1>'
        f"{PARAGRAPHS}</div></noscript>",
    ),
    "consent_script_that_reloads": document(
        '<script>function agree(){document.cookie="consent=1";location.reload()}</script>',
        f"{NAV}<main><h1>Boat hire</h1><p>Rowing boats by the hour, from May to September.</p><a href='/prices'>Prices</a> <a href='/map'>Map</a></main>{FOOTER}",
    ),
    "frameset": '<html><head><title>Old manual</title></head><frameset cols="20%,80%"><frame src="toc.html"><frame src="1.html"></frameset></html>',
}
