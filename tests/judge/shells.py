"""Pages as front-end tools emit them before any script has run; the browser is needed for each."""

from __future__ import annotations

import json

NAV = (
    '<header class="site-header"><a href="/" class="logo">Nordwind Outdoor</a><nav><ul>'
    + "".join(
        f'<li><a href="/c/{word}">{word.title()}</a></li>' for word in ("tents", "boots", "maps", "stoves", "sale")
    )
    + "</ul></nav></header>"
)
FOOTER = (
    "<footer><div><h4>Service</h4><ul><li><a href='/help'>Help centre</a></li><li><a href='/returns'>Returns and refunds</a>"
    "</li></ul><p>By subscribing to our newsletter you agree to receive news and offers; you may unsubscribe at any time."
    "</p><p>© 2026 Nordwind Outdoor Ltd. All rights reserved. Registered in England and Wales.</p></div></footer>"
)
CSS_70_KB = "".join(f".c{n}{{display:flex;margin:{n}px;color:#0{n % 10}0}}" for n in range(1800))
JSON_70_KB = json.dumps(
    {"props": {"pageProps": {"items": [{"id": n, "title": f"Tent number {n} for two"} for n in range(1600)]}}}
)


def document(head: str, body: str, *, attributes: str = "") -> str:
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head><meta charset="utf-8"><title>Nordwind</title>'
        f'<meta name="viewport" content="width=device-width,initial-scale=1">{head}</head>\n<body{attributes}>{body}</body></html>'
    )


SHELLS = {
    "create_react_app": document(
        '<link rel="icon" href="/favicon.ico"/><meta name="description" content="Web site created using create-react-app"/>'
        '<script defer="defer" src="/static/js/main.5f9d0e2b.js"></script><link href="/static/css/main.073c9b0a.css" rel="stylesheet">',
        '<noscript>You need to enable JavaScript to run this app.</noscript><div id="root"></div>',
    ),
    "vite_react": document(
        '<script type="module" crossorigin src="/assets/index-DVoHNO1Y.js"></script><link rel="stylesheet" href="/assets/index-Cz4zGhbH.css">',
        '\n    <div id="root"></div>\n  ',
    ),
    "vite_react_with_a_logo_to_wait_by": document(
        '<script type="module" crossorigin src="/assets/index-DVoHNO1Y.js"></script>',
        '<div id="root"><div class="splash"><img src="/logo.svg" alt="Nordwind" width="96" height="96"></div></div>',
    ),
    "vue_cli": document(
        '<script defer src="/js/chunk-vendors.4b3a7c2e.js"></script><script defer src="/js/app.1f0d7a2c.js"></script>',
        "<noscript><strong>We're sorry but nordwind doesn't work properly without JavaScript enabled. Please enable it to "
        'continue.</strong></noscript><div id="app"></div>',
    ),
    "vite_svelte_relative_paths": document(
        '<script type="module" crossorigin src="./assets/index-b1946ac9.js"></script>', '<div id="app"></div>'
    ),
    "next_pages_client_only": document(
        '<noscript data-n-css=""></noscript><script src="/_next/static/chunks/main-0b1c.js" defer=""></script>',
        '<div id="__next"></div><script id="__NEXT_DATA__" type="application/json">{"props":{"pageProps":{}},"page":"/shop",'
        '"query":{},"buildId":"x1","nextExport":true,"autoExport":true,"isFallback":false,"scriptLoader":[]}</script>',
    ),
    "next_app_csr_bailout": document(
        '<script src="/_next/static/chunks/webpack-f27b6a3f.js" async=""></script>',
        '<!--$!--><template data-dgst="BAILOUT_TO_CLIENT_SIDE_RENDERING"></template><!--/$--><script>(self.__next_f=self.__next_f||[])'
        '.push([0])</script><script>self.__next_f.push([1,"2:I[39275,[],\\"\\"]\\n"])</script>',
    ),
    "next_big_json": document(
        '<script src="/_next/static/chunks/main-0b1c.js" defer=""></script>',
        '<div id="__next"><div class="spinner"></div></div><script id="__NEXT_DATA__" type="application/json">'
        f"{JSON_70_KB}</script>",
    ),
    "nuxt_spa_mode": document(
        '<link rel="modulepreload" as="script" crossorigin href="/_nuxt/entry.Dk2.js"><script type="module" src="/_nuxt/entry.Dk2.js" crossorigin></script>',
        '<div id="__nuxt"></div><div id="teleports"></div><script type="application/json" data-nuxt-data="nuxt-app" data-ssr="false" '
        'id="__NUXT_DATA__">[{"prerenderedAt":1,"serverRendered":2},1760000000000,false]</script>'
        '<script>window.__NUXT__={};window.__NUXT__.config={public:{},app:{baseURL:"/"}}</script>',
    ),
    "angular": document(
        '<base href="/"><link rel="stylesheet" href="styles.ef46db3751d8e999.css">',
        '<app-root></app-root><script src="runtime.7f95ee6540776f88.js" type="module"></script><script src="polyfills.c2e4a0c3.js" '
        'type="module"></script><script src="main.2f3ad1d2.js" type="module"></script>',
    ),
    "angular_with_splash": document(
        '<base href="/"><style>.splash{display:flex;height:100vh}</style>',
        '<my-shop><div class="splash"><img src="assets/logo.svg" alt="Nordwind" width="120"><p>Loading…</p></div></my-shop>'
        '<script src="main.js" type="module"></script>',
    ),
    "sveltekit_without_ssr": document(
        '<link rel="modulepreload" href="/_app/immutable/entry/start.7b2.js">',
        '<div style="display: contents">\n\t\t\t<script>\n\t\t\t\t{\n\t\t\t\t\t__sveltekit_1abc = { base: "" };\n\t\t\t\t\tPromise.all(['
        'import("/_app/immutable/entry/start.7b2.js"), import("/_app/immutable/entry/app.99f.js")]).then(([kit, app]) => { kit.start(app, '
        "document.currentScript.parentElement); });\n\t\t\t\t}\n\t\t\t</script>\n\t\t</div>",
        attributes=' data-sveltekit-preload-data="hover"',
    ),
    "gatsby_develop": document(
        "",
        '<noscript id="gatsby-noscript">This app works best with JavaScript enabled.</noscript><div id="___gatsby"></div>'
        '<script src="/polyfill.js" nomodule></script><script src="/framework.js"></script><script src="/commons.js"></script>',
    ),
    "ember": document(
        '<meta name="nordwind/config/environment" content="%7B%22modulePrefix%22%3A%22nordwind%22%7D"/>'
        '<link rel="stylesheet" href="/assets/vendor.css">',
        '<script src="/assets/vendor-d4.js"></script><script src="/assets/nordwind-66.js"></script><div id="ember-basic-dropdown-wormhole"></div>',
    ),
    "docsify": document(
        '<link rel="stylesheet" href="//cdn.jsdelivr.net/npm/docsify@4/lib/themes/vue.css">',
        '<div id="app">Please wait...</div><script>window.$docsify = {name: "Nordwind", repo: ""}</script>'
        '<script src="//cdn.jsdelivr.net/npm/docsify@4"></script>',
    ),
    "redoc": document(
        "<style>body{margin:0;padding:0}</style>",
        '<redoc spec-url="openapi.json"></redoc><script src="https://cdn.redoc.ly/redoc/latest/bundles/redoc.standalone.js"></script>',
    ),
    "swagger_ui": document(
        '<link rel="stylesheet" type="text/css" href="./swagger-ui.css"/>',
        '<div id="swagger-ui"></div><script src="./swagger-ui-bundle.js" charset="UTF-8"></script><script src="./swagger-initializer.js"></script>',
    ),
    "blazor_webassembly": document(
        '<base href="/"/><link href="css/app.css" rel="stylesheet"/>',
        '<div id="app"><svg class="loading-progress"><circle r="40%" cx="50%" cy="50%"/></svg><div class="loading-progress-text"></div></div>'
        '<div id="blazor-error-ui">An unhandled error has occurred. <a href="" class="reload">Reload</a> <a class="dismiss">🗙</a></div>'
        '<script src="_framework/blazor.webassembly.js"></script>',
    ),
    "flutter_web": document(
        '<base href="/"><meta name="description" content="A new Flutter project."><link rel="manifest" href="manifest.json">',
        '\n  <script src="flutter_bootstrap.js" async></script>\n',
    ),
    "quasar": document(
        '<script type="module" crossorigin src="/assets/index.a5f2.js"></script>', '<div id="q-app"></div>'
    ),
    "ionic_angular": document(
        '<base href="/"/><meta name="color-scheme" content="light dark"/>',
        "<app-root></app-root><noscript>Please enable JavaScript to continue using this application.</noscript>"
        '<script src="runtime.js" type="module"></script><script src="main.js" type="module"></script>',
    ),
    "remix_spa_mode": document(
        '<link rel="modulepreload" href="/assets/manifest-5.js"/>',
        '<p>Loading...</p><script>((storageKey, restoreKey) => { if (!window.history.state) {} })("positions", null)</script>'
        '<script>window.__remixContext = {"basename":"/","isSpaMode":true,"state":{"loaderData":{"root":null}}};</script>'
        '<script type="module" async="">import "/assets/manifest-5.js"; import * as route0 from "/assets/root-9.js";</script>',
    ),
    "astro_client_only_in_a_layout": document(
        '<link rel="stylesheet" href="/_astro/index.B2.css">',
        f'{NAV}<main><astro-island uid="Z1" component-url="/_astro/Catalogue.js" component-export="default" renderer-url="/_astro/client.js" '
        f'props="{{}}" ssr client="only" opts="{{&quot;name&quot;:&quot;Catalogue&quot;,&quot;value&quot;:&quot;react&quot;}}"></astro-island></main>'
        f'{FOOTER}<script>(()=>{{customElements.define("astro-island", class extends HTMLElement {{}})}})()</script>',
    ),
    "gwt": document(
        '<script type="text/javascript" src="nordwind/nordwind.nocache.js"></script>',
        '<iframe src="javascript:\'\'" id="__gwt_historyFrame" tabIndex="-1" style="position:absolute;width:0;height:0;border:0"></iframe>'
        '<noscript><div style="width: 22em; color: red">Your web browser must have JavaScript enabled in order for this application to '
        "display correctly.</div></noscript>",
    ),
    "extjs": document(
        '<script id="microloader" data-app="9c7b" type="text/javascript" src="bootstrap.js"></script>', ""
    ),
    "stencil_component": document(
        '<script type="module" src="/build/app.esm.js"></script><script nomodule src="/build/app.js"></script>',
        "<nordwind-shop></nordwind-shop>",
    ),
    "elm": document(
        '<script src="/elm.js"></script>',
        '<pre id="elm"></pre><script>var app = Elm.Main.init({ node: document.getElementById("elm") });</script>',
    ),
    "meteor": document(
        '<link rel="stylesheet" type="text/css" class="__meteor-css__" href="/1a2b.css?meteor_css_resource=true">',
        '\n<script type="text/javascript">__meteor_runtime_config__ = JSON.parse(decodeURIComponent("%7B%7D"))</script>'
        '\n<script type="text/javascript" src="/5c3d.js?meteor_js_resource=true"></script>\n',
    ),
    "skeleton_cards": document(
        '<script src="/static/bundle.js" defer></script>',
        f'{NAV}<div id="page"><h1>Tents</h1><div class="grid">'
        + '<div class="card"><div class="skeleton skeleton-image"></div><div class="skeleton skeleton-line"></div></div>'
        * 8
        + f"</div></div>{FOOTER}",
    ),
    "tailwind_pulse": document(
        '<script type="module" src="/assets/index-1.js"></script>',
        '<div class="layout"><h1>Orders</h1>'
        + '<div class="h-4 w-1/2 animate-pulse rounded bg-gray-200"></div>' * 6
        + '<button type="button">Refresh</button></div>',
    ),
    "ant_design_spinner_in_a_drawn_frame": document(
        "",
        '<div id="root"><div class="top-bar"><a href="/">Nordwind</a><a href="/help">Help</a></div><div class="sort">Sort: '
        '<span>Relevance</span><span>Latest</span></div><div class="ant-spin ant-spin-spinning" aria-live="polite" aria-busy="true">'
        '<span class="ant-spin-dot"></span></div><div class="part-footer"><div>About us</div><div>Warranty</div><div>Shipping policy</div>'
        "<p>Stay ahead of every sale: sign up for early event alerts and for the deals that only members are told about.</p></div></div>"
        '<script src="/main.js"></script>',
    ),
    "nav_and_footer_around_an_empty_main": document(
        '<script src="/js/search.js" defer></script>',
        f'{NAV}<main id="MainContent" role="main"><div id="results"></div></main>{FOOTER}',
    ),
    "nav_and_footer_around_nothing": document(
        "",
        f'{NAV}<div id="homepage" style="min-height:100vh"></div>{FOOTER}<script src="/dist/home.bundle.js"></script>',
    ),
    "big_inline_css": document(
        f"<style>{CSS_70_KB}</style>", '<div id="wrapper"></div><script src="bundle.js"></script>'
    ),
    "cookie_banner_over_nothing": document(
        '<script src="/app.js" defer></script>',
        '<div id="cookie-banner" class="banner"><h2>We value your privacy</h2><p>We use cookies to run this shop, to measure how it is used '
        "and to show you offers that suit you. You may accept all of them or choose.</p><p>Read more in our <a href='/privacy'>privacy "
        "notice</a>; you may change your choice at any time from the foot of every page.</p><button>Accept all</button></div>"
        '<div class="viewport"></div>',
    ),
    "visible_plea": document(
        "",
        '<div id="wrap"><h1>Nordwind</h1><p>JavaScript is required to use this site.</p></div><script src="/a.js"></script>',
    ),
    "loading_in_german": document(
        "", '<div class="start"><span>Wird geladen …</span></div><script type="module" src="/start.js"></script>'
    ),
}
