package web

import (
	"compress/gzip"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
)

// policyParts are what the policy of every answer says.
var policyParts = []string{
	"default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'", "img-src 'self' blob: data:", "base-uri 'none'", "form-action 'none'",
	"frame-ancestors 'none'",
}

// checkHeaders reports what the headers of an answer lack.
func checkHeaders(t *testing.T, what string, h http.Header) {
	t.Helper()
	policy := strings.Split(h.Get("Content-Security-Policy"), "; ")
	if len(policy) != len(policyParts) || strings.Contains(h.Get("Content-Security-Policy"), "unsafe") {
		t.Errorf("%s: policy %q", what, policy)
	}
	for _, want := range policyParts {
		if !strings.Contains("; "+h.Get("Content-Security-Policy")+"; ", "; "+want+"; ") {
			t.Errorf("%s: policy %q has no %s", what, policy, want)
		}
	}
	if h.Get("X-Content-Type-Options") != "nosniff" || h.Get("Referrer-Policy") != "no-referrer" || h.Get("Cross-Origin-Resource-Policy") != "same-origin" {
		t.Errorf("%s: %v", what, h)
	}
}

// TestPage: each address of the page has the same document, others have none, and every answer has the policy.
func TestPage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		_, _, document := b.get(request{path: "/"})
		for path, want := range map[string]int{
			"/": 200, "/usage": 200, "/s/s-1": 200, "/s/20261122-101500-a1b2c3/files": 200, "/s/s-1/timeline": 200, "/s/%C3%A4": 200, "/?x=1": 200,
			"/app.js": 200, "/app.css": 200,
			"/s": 404, "/s/": 404, "/s/s-1/": 404, "/s/s-1/other": 404, "/s/s-1/files/x": 404, "/usage/": 404, "/usage/x": 404, "/files": 404,
			"/index.html": 404, "/page/app.js": 404, "/packages.json": 404, "/app.js/": 404, "/app.js.map": 404, "/signin.js": 404, "//": 404, "//usage": 404, "/./": 404,
			"/s/..": 404, "/s/../usage": 404, "/s/%2e%2e": 404, "/s/%2e%2e/files": 404, "/s/..%2f..%2fetc%2fpasswd": 404, "/s/a%5cb": 404, "/s/a%00": 404, "/s/a%0a": 404,
			"/../../etc/passwd": 404, "/%2e%2e/app.js": 404,
		} {
			code, h, body := b.get(request{path: path})
			if code != want {
				t.Errorf("%s: %d, want %d", path, code, want)
			}
			checkHeaders(t, path, h)
			if page := code == 200 && !strings.HasPrefix(path, "/app."); page != (body == document) {
				t.Errorf("%s: %s", path, body)
			}
			if code != 200 && h.Get("Cache-Control") != "no-store" {
				t.Errorf("%s: %v", path, h)
			}
		}
		for _, c := range []struct {
			method, path string
			want         int
		}{
			{"HEAD", "/", 200},
			{"HEAD", "/s/s-1", 200},
			{"HEAD", "/app.js", 200},
			{"HEAD", "/nothing", 404},
			{"POST", "/", 405},
			{"POST", "/s/s-1", 405},
			{"PUT", "/app.js", 405},
			{"DELETE", "/usage", 405},
			{"OPTIONS", "/", 405},
			{"GET", "/v1/me", 401},
		} {
			code, h, body := b.get(request{path: c.path, method: c.method})
			if code != c.want || c.method == "HEAD" && body != "" {
				t.Errorf("%s %s: %d %s, want %d", c.method, c.path, code, body, c.want)
			}
			checkHeaders(t, c.method+" "+c.path, h)
		}
		for what, r := range map[string]request{
			"another host":   {path: "/", host: "evil.example"},
			"another origin": {path: "/", header: http.Header{"Origin": {"http://evil.example"}}},
		} {
			code, h, _ := b.get(r)
			if code != 403 {
				t.Errorf("%s: %d", what, code)
			}
			checkHeaders(t, what, h)
		}
	})
}

// TestDocument: the page has nothing that its policy forbids, and loads its own script and style only.
func TestDocument(t *testing.T) {
	document, err := bundle.ReadFile("page/index.html")
	if err != nil {
		t.Fatal(err)
	}
	html := string(document)
	for _, forbidden := range []string{"<style", " style=", " on", "javascript:", "http:", "https:", `"//`, "integrity"} {
		if strings.Contains(html, forbidden) {
			t.Errorf("the document has %q: %s", forbidden, html)
		}
	}
	if strings.Count(html, "<script") != 1 || !strings.Contains(html, `<script type="module" src="/app.js"></script>`) || !strings.Contains(html, `href="/app.css"`) {
		t.Error(html)
	}
}

// TestAssets: what browsers accept is compressed, and what they have is not sent again.
func TestAssets(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		for path, kind := range map[string]string{"/": "text/html; charset=utf-8", "/app.js": "text/javascript; charset=utf-8", "/app.css": "text/css; charset=utf-8"} {
			plain := http.Header{"Accept-Encoding": {"identity"}}
			_, h, text := b.get(request{path: path, header: plain})
			tag := h.Get("ETag")
			if h.Get("Content-Type") != kind || h.Get("Content-Encoding") != "" || len(tag) < 10 || h.Get("Cache-Control") != "no-cache" || h.Get("Vary") != "Accept-Encoding" {
				t.Errorf("%s: %v", path, h)
			}
			zipped := http.Header{"Accept-Encoding": {"br, gzip"}}
			_, h, data := b.get(request{path: path, header: zipped})
			r, err := gzip.NewReader(strings.NewReader(data))
			if err != nil {
				t.Fatalf("%s: %v, %v", path, err, h)
			}
			unzipped, err := io.ReadAll(r)
			if err != nil || string(unzipped) != text || h.Get("Content-Encoding") != "gzip" || h.Get("ETag") == tag {
				t.Errorf("%s: %v, %v", path, err, h)
			}
			checkHeaders(t, path, h)
			for _, header := range []http.Header{with(plain, "If-None-Match", tag), with(zipped, "If-None-Match", `"x", W/`+h.Get("ETag"))} {
				code, h, body := b.get(request{path: path, header: header})
				if code != 304 || body != "" || h.Get("Content-Encoding") != "" {
					t.Errorf("%s with %v: %d %q %v", path, header, code, body, h)
				}
				checkHeaders(t, path, h)
			}
			if code, _, _ := b.get(request{path: path, header: with(plain, "If-None-Match", h.Get("ETag"))}); code != 200 {
				t.Errorf("%s: the tag of the compressed one is good for the other", path)
			}
		}
	})
}

// TestAcceptsGzip: the weights of RFC 9110 count.
func TestAcceptsGzip(t *testing.T) {
	for text, want := range map[string]bool{
		"": false, "identity": false, "gzip": true, "GZIP": true, "br, gzip;q=0.5": true, "gzip;q=0": false, "gzip; q=0.000": false, "*": true, "*;q=0": false,
		"*;q=0, gzip": true, "gzip;q=0, *": false, "gzipped": false, "gzip;q=x": false,
	} {
		if got := acceptsGzip([]string{text}); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

// TestWithoutPage: a host without the web console has no page, and says how to get it.
func TestWithoutPage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.server.o.Page = false
		handler, err := b.server.handler()
		if err != nil {
			t.Fatal(err)
		}
		b.server.http.Handler = handler
		for _, path := range []string{"/", "/usage", "/s/s-1", "/app.js"} {
			code, h, body := b.get(request{path: path})
			if code != 404 || path == "/" && !strings.Contains(body, "--web") {
				t.Errorf("%s: %d %s", path, code, body)
			}
			checkHeaders(t, path, h)
		}
		if b.signIn(b.link(b.secret, "{}")) == nil {
			t.Error("pages of other origins cannot sign in")
		}
	})
}
