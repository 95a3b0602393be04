"""What bot walls answer: (status, headers, body, the reason it must be known by)."""

from __future__ import annotations

HTML = {"content-type": "text/html; charset=UTF-8"}

CLOUDFLARE_SCRIPT = (
    "<script>(function(){window._cf_chl_opt={cvId:'3',cZone:'shop.example',cType:'managed',cRay:'8f00aa',cH:'x'};"
    "var a=document.createElement('script');a.src='/cdn-cgi/challenge-platform/h/b/orchestrate/chl_page/v1?ray=8f00aa';"
    "document.getElementsByTagName('head')[0].appendChild(a);}());</script>"
)
CLOUDFLARE = (
    '<!DOCTYPE html><html lang="en-US"><head><title>Just a moment...</title><meta name="robots" content="noindex,nofollow"></head>'
    '<body><div class="main-wrapper" role="main"><div class="main-content"><noscript><div class="h2"><span id="challenge-error-text">Enable '
    f"JavaScript and cookies to continue</span></div></noscript></div></div>{CLOUDFLARE_SCRIPT}</body></html>"
)
CLOUDFLARE_TURNSTILE = (
    "<!DOCTYPE html><html><head><title>Just a moment...</title></head><body><h1>shop.example</h1><p>Verify you are human by completing the "
    'action below.</p><div id="cf-turnstile"></div><p>shop.example needs to review the security of your connection before proceeding.</p>'
    f"<p>Ray ID: 8f00aa. Performance &amp; security by Cloudflare</p>{CLOUDFLARE_SCRIPT}</body></html>"
)
CLOUDFLARE_1020 = (
    "<!DOCTYPE html><html><head><title>Access denied | shop.example used Cloudflare to restrict access</title></head><body>"
    '<div id="cf-wrapper"><div id="cf-error-details"><h1><span>Error</span><span>1020</span></h1><h2>Access denied</h2><p>This website is '
    "using a security service to protect itself from online attacks.</p></div></div></body></html>"
)
CLOUDFLARE_1015 = CLOUDFLARE_1020.replace("1020", "1015").replace(
    "Access denied</h2>", "You are being rate limited</h2>"
)
CLOUDFLARE_BLOCKED = (
    "<!DOCTYPE html><html><head><title>Attention Required! | Cloudflare</title></head><body><div id='cf-wrapper'><h1 "
    'data-translate="block_headline">Sorry, you have been blocked</h1><h2>You are unable to access shop.example</h2></div></body></html>'
)
CLOUDFLARE_522 = (
    "<!DOCTYPE html><html><head><title>shop.example | 522: Connection timed out</title></head><body><div id='cf-wrapper'><div "
    "id='cf-error-details'><h1>Connection timed out <span>Error code 522</span></h1></div></div></body></html>"
)
DATADOME = (
    '<html lang="en"><head><title>shop.example</title><style>#cmsg{animation: A 1.5s;}</style></head><body style="margin:0"><p id="cmsg">'
    "Please enable JS and disable any ad blocker</p><script data-cfasync=\"false\">var dd={'rt':'c','cid':'AHrlqAAAAAMA','hsh':'D013','t':'fe',"
    "'s':41,'host':'geo.captcha-delivery.com'}</script><script data-cfasync=\"false\" src=\"https://ct.captcha-delivery.com/c.js\"></script>"
    "</body></html>"
)
PERIMETERX = (
    '<!DOCTYPE html><html lang="en"><head><meta name="description" content="px-captcha"><title>Access to this page has been denied</title>'
    "</head><body><script>window._pxVid='';window._pxUuid='a1';window._pxAppId='PXabc';</script><h1>Press &amp; Hold to confirm you are a human "
    '(and not a bot).</h1><div id="px-captcha"></div><p>Reference ID a1b2c3</p></body></html>'
)
AKAMAI_DENIED = (
    "<HTML><HEAD>\n<TITLE>Access Denied</TITLE>\n</HEAD><BODY>\n<H1>Access Denied</H1>\n \nYou don't have permission to access "
    '"http&#58;&#47;&#47;shop&#46;example&#47;" on this server.<P>\nReference&#32;&#35;18&#46;5c2a1302&#46;1700000000&#46;1a2b3c\n<P>https&#58;'
    "&#47;&#47;errors&#46;edgesuite&#46;net&#47;18&#46;5c2a1302&#46;1700000000\n</BODY>\n</HTML>"
)
AKAMAI_INTERSTITIAL = (
    '<!DOCTYPE html><html><head><title>&nbsp;</title></head><body><div id="sec-if-cpt-container" style="display:none"><div class='
    '"behavioral-content"><p>Powered and protected by</p></div></div><script src="/_sec/cp_challenge/ak-challenge-4-3.js"></script></body></html>'
)
AKAMAI_REFRESH = '<html><head><meta http-equiv="refresh" content="5; URL=\'/?bm-verify=AAQAAAAJ\'"/></head><body><script>var i = 1700;</script></body></html>'
IMPERVA = (
    '<html style="height:100%"><head><META NAME="ROBOTS" CONTENT="NOINDEX, NOFOLLOW"><script type="text/javascript" '
    'src="/_Incapsula_Resource?SWJIYLWA=719d34d31c8e"></script></head><body style="margin:0px;height:100%"><iframe id="main-iframe" '
    'src="/_Incapsula_Resource?SWUDNSAI=31&amp;xinfo=9-332984787-0" frameborder=0 width="100%" height="100%">Request unsuccessful. Incapsula '
    "incident ID: 1848000740416814348-0</iframe></body></html>"
)
AWS_WAF = (
    '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title></title><script type="text/javascript">window.awsWafCookieDomainList = [];'
    'window.gokuProps = {"key":"AQIDAHjcYu","iv":"EkQVjw","context":"zK"};</script><script src="https://a1.b2.token.awswaf.com/a1/b2/challenge.js">'
    '</script></head><body><div id="challenge-container"></div><script>AwsWafIntegration.saveReferrer();AwsWafIntegration.checkForceRefresh().then('
    "(forceRefresh) => { AwsWafIntegration.getToken().then(() => { window.location.reload(true); }); });</script><noscript><h1>JavaScript is "
    "disabled</h1>In order to continue, we need to verify that you're not a robot. This requires JavaScript.</noscript></body></html>"
)
SUCURI = (
    "<html><title>You are being redirected...</title>\n<noscript>Javascript is required. Please enable javascript before you are allowed to see "
    "this page.</noscript>\n<script>var s={},u,c,U,r,i,l=0,a,e=eval,w=String.fromCharCode,sucuri_cloudproxy_js='',S='YT0n';L=S.length;U=0;r='';"
    "</script></html>"
)
SUCURI_BLOCK = (
    '<!DOCTYPE html><html><head><title>Sucuri WebSite Firewall - Access Denied</title><link rel="stylesheet" '
    'href="https://cdn.sucuri.net/sucuri-firewall-block.css"/></head><body><h1>Access Denied - Sucuri Website Firewall</h1><p>If you are the site '
    "owner (or you manage this site), please whitelist your IP.</p><table><tr><td>Block ID:</td><td>BNP005</td></tr></table></body></html>"
)
DDOS_GUARD = (
    '<!DOCTYPE html><html><head><title>DDoS-Guard</title><script type="module" src="/.well-known/ddos-guard/js-challenge/index.js"></script></head>'
    "<body><h1>Checking your browser before accessing shop.example</h1></body></html>"
)
VERCEL = (
    '<!DOCTYPE html><html lang="en"><head><title>Vercel Security Checkpoint</title></head><body><p id="header-text">We\'re verifying your browser</p>'
    '<p><a href="https://vercel.link/security-checkpoint">Website owner? Click here to fix</a></p><script type="module" '
    'src="/.well-known/vercel/security/static/challenge.v2.min.js"></script></body></html>'
)
ANUBIS = (
    '<!doctype html><html lang="en"><head><title>Making sure you&#39;re not a bot!</title><script id="anubis_version" type="application/json">"1.22.0"'
    '</script><script id="anubis_challenge" type="application/json">{"rules":{"algorithm":"fast","difficulty":4},"challenge":{"randomData":"9f"}}'
    '</script></head><body id="top"><main><h1 id="title">Making sure you&#39;re not a bot!</h1><img id="image" src="/.within.website/x/cmd/anubis/'
    'static/img/pensive.webp"><p id="status">Loading...</p><details><p>You are seeing this because the administrator of this website has set up '
    "Anubis to protect the server against the scourge of AI companies aggressively scraping websites. This can and does cause downtime for the "
    "websites, which makes their resources inaccessible for everyone.</p><p>Anubis is a compromise. Anubis uses a Proof-of-Work scheme in the vein of "
    "Hashcash, a proposed proof-of-work scheme for reducing email spam. The idea is that at individual scales the additional load is ignorable, but "
    "at mass scraper levels it adds up and makes scraping much more expensive.</p><p>Ultimately, this is a placeholder solution so that more time can "
    "be spent on fingerprinting and identifying headless browsers.</p><p>Please note that Anubis requires the use of modern JavaScript features that "
    "plugins like JShelter will disable.</p></details></main></body></html>"
)
KASADA = (
    "<!DOCTYPE html><html><head></head><body><script>window.KPSDK={};KPSDK.now=function(){return Date.now()};KPSDK.start=KPSDK.now();</script>"
    '<script src="/149e9513-01fa-4fb0-aad4-566afd725d1b/2d206a39/ips.js?KP_UIDz=08x&amp;x-kpsdk-im=AA"></script></body></html>'
)
SITEGROUND = '<html><head><link rel="icon" href="data:;"><meta http-equiv="refresh" content="0;/.well-known/sgcaptcha/?r=%2F&y=ipc:127.0.0.1"></meta></head></html>'
COOKIE_WALL = (
    "<!DOCTYPE html><html><head><title>One moment</title></head><body><p>Please wait while we check your browser.</p><script>"
    'var k = 7 * 191; document.cookie = "pass=" + k + "; path=/"; setTimeout(function () { location.reload(); }, 50);</script></body></html>'
)
COOKIE_REDIRECT = (
    '<html><body><script>document.cookie="__test=" + toHex(slowAES.decrypt(c,2,a,b)) + "; path=/"; location.href="http://shop.example/?i=1";</script>'
    "<noscript>This site requires Javascript to work, please enable Javascript in your browser</noscript></body></html>"
)
FORBIDDEN = "<html>\r\n<head><title>403 Forbidden</title></head>\r\n<body>\r\n<center><h1>403 Forbidden</h1></center>\r\n<hr><center>nginx</center>\r\n</body></html>"

CHALLENGES = {
    "cloudflare_header": (403, HTML | {"cf-mitigated": "challenge"}, "", "cloudflare"),
    "cloudflare_just_a_moment": (403, HTML, CLOUDFLARE, "cloudflare"),
    "cloudflare_on_503": (503, HTML, CLOUDFLARE, "cloudflare"),
    "cloudflare_on_429": (429, HTML, CLOUDFLARE, "cloudflare"),
    "cloudflare_on_200": (200, HTML, CLOUDFLARE, "cloudflare"),
    "cloudflare_turnstile": (403, HTML, CLOUDFLARE_TURNSTILE, "cloudflare"),
    "cloudflare_1020": (403, HTML, CLOUDFLARE_1020, "cloudflare"),
    "cloudflare_blocked": (403, HTML, CLOUDFLARE_BLOCKED, "cloudflare"),
    "datadome": (403, HTML | {"x-datadome": "protected"}, DATADOME, "datadome"),
    "datadome_on_401": (401, HTML, DATADOME, "datadome"),
    "datadome_header_on_403": (403, HTML | {"x-datadome": "protected"}, FORBIDDEN, "datadome"),
    "perimeterx": (403, HTML, PERIMETERX, "perimeterx"),
    "perimeterx_on_200": (200, HTML, PERIMETERX, "perimeterx"),
    "akamai_denied": (403, HTML | {"server": "AkamaiGHost"}, AKAMAI_DENIED, "akamai"),
    "akamai_interstitial": (200, HTML, AKAMAI_INTERSTITIAL, "akamai"),
    "akamai_refresh": (200, HTML, AKAMAI_REFRESH, "akamai"),
    "imperva_on_200": (200, HTML | {"x-iinfo": "9-33"}, IMPERVA, "imperva"),
    "imperva_on_503": (503, HTML, IMPERVA, "imperva"),
    "aws_waf_challenge": (202, HTML | {"x-amzn-waf-action": "challenge"}, "", "aws_waf"),
    "aws_waf_captcha": (405, HTML | {"x-amzn-waf-action": "captcha"}, AWS_WAF, "aws_waf"),
    "aws_waf_without_header": (202, HTML, AWS_WAF, "aws_waf"),
    "aws_waf_on_404": (404, HTML, AWS_WAF, "aws_waf"),
    "sucuri_script": (200, HTML, SUCURI, "sucuri"),
    "sucuri_script_on_307": (307, HTML, SUCURI, "sucuri"),
    "sucuri_block": (403, HTML, SUCURI_BLOCK, "sucuri"),
    "ddos_guard": (403, HTML, DDOS_GUARD, "ddos_guard"),
    "vercel_header": (429, HTML | {"x-vercel-mitigated": "challenge"}, VERCEL, "vercel"),
    "vercel_page": (429, HTML, VERCEL, "vercel"),
    "anubis": (200, HTML, ANUBIS, "anubis"),
    "kasada_on_429": (429, HTML, KASADA, "kasada"),
    "siteground": (202, HTML, SITEGROUND, "challenge"),
    "cookie_wall_on_200": (200, HTML, COOKIE_WALL, "challenge"),
    "cookie_wall_on_403": (403, HTML, COOKIE_WALL, "challenge"),
    "cookie_wall_on_503": (503, HTML | {"retry-after": "5"}, COOKIE_WALL, "challenge"),
    "cookie_redirect": (200, HTML, COOKIE_REDIRECT, "challenge"),
    "plain_403": (403, HTML, FORBIDDEN, "status_403"),
    "plain_text_403": (403, {"content-type": "text/plain"}, "error code: 1020", "status_403"),
}
