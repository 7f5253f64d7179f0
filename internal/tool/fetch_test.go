package tool

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/racetest"
)

// prepareFetch prepares a fetch that may reach this machine.
func prepareFetch(t *testing.T, in map[string]any) *fetchCall {
	t.Helper()
	input, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	call, err := Fetch().Prepare(&Env{PrivateNetwork: true}, input)
	if err != nil {
		t.Fatal(err)
	}
	return call.(*fetchCall)
}

func serve(t *testing.T, handler http.HandlerFunc) (address string) {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server.URL
}

func TestFetchPages(t *testing.T) {
	const address = "http://HOST/dir/page"
	for _, tc := range []struct {
		name, contentType, body string
		want                    string
	}{
		{
			"HTML", "text/html; charset=utf-8", `<title>T</title><script>x()</script><h1>Héllo</h1><p>a_b <a href="next?a=1">go</a></p>`,
			"# Héllo\n\na_b [go](http://HOST/dir/next?a=1)",
		},
		{"XHTML", "application/xhtml+xml", "<p>a</p><p>b</p>", "a\n\nb"},
		{"deep HTML", "text/html", strings.Repeat("<div>", 600) + "deep", strings.Repeat("<div>", 600) + "deep"},
		{"text", "text/plain", "a <b>\n", "a <b>\n"},
		{"JSON", "application/json", `{"a":1}`, `{"a":1}`},
		{"kind of JSON", "application/problem+json; x=y", `{"a":1}`, `{"a":1}`},
		{"no type", "", "just text", "just text"},
		{"no type, HTML", "", "<!DOCTYPE html><p>hi", "hi"},
		{"late UTF-8", "text/plain", strings.Repeat("x", 2000) + "é", strings.Repeat("x", 2000) + "é"},
		{"declared Latin-1", "text/plain; charset=iso-8859-1", "caf\xe9", "café"},
		{"undeclared Latin-1", "text/plain", "caf\xe9 cr\xe8me", "café crème"},
		{"Japanese by meta", "text/html", `<meta charset="shift_jis"><p>` + "\x93\xfa\x96\x7b", "日本"},
		{"UTF-16", "text/plain", "\xff\xfeh\x00i\x00", "hi"},
		{"NUL", "text/plain; charset=utf-8", "a\x00b\xffc", "ab\uFFFDc"},
		{"nothing", "text/plain", "", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			host := strings.TrimPrefix(serve(t, func(w http.ResponseWriter, r *http.Request) {
				w.Header()["Content-Type"] = []string{tc.contentType}
				if tc.contentType == "" {
					w.Header()["Content-Type"] = nil
				}
				_, _ = io.WriteString(w, tc.body)
			}), "http://")
			r := prepareFetch(t, map[string]any{"url": strings.Replace(address, "HOST", host, 1)}).Run(t.Context(), Hooks{})
			if want := strings.ReplaceAll(tc.want, "HOST", host); r.Text != want || r.IsError || r.Full != nil {
				t.Errorf("%q, error %t\nwant %q", r.Text, r.IsError, want)
			}
			if f := *r.Fetch; f.Status != 200 || f.Bytes != int64(len(tc.body)) || !strings.HasPrefix(tc.contentType, f.MIME) && tc.contentType != "" {
				t.Errorf("%+v", f)
			}
		})
	}
}

func TestFetchResults(t *testing.T) {
	long := strings.Repeat("0123456789abcde\n", 20_000)
	address := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		switch r.URL.Path {
		case "/hello":
			_, _ = io.WriteString(w, "hello world")
		case "/long":
			_, _ = io.WriteString(w, long)
		case "/picture":
			w.Header().Set("Content-Type", "image/png")
			w.Header().Set("Content-Length", "4")
			_, _ = io.WriteString(w, "\x89PNG")
		case "/brotli":
			w.Header().Set("Content-Encoding", "br")
			_, _ = io.WriteString(w, "???")
		case "/cut":
			w.Header().Set("Content-Length", "100")
			_, _ = io.WriteString(w, "too short")
		case "/moved":
			http.Redirect(w, r, "/hello?moved", http.StatusMovedPermanently)
		case "/moved-to-file":
			http.Redirect(w, r, "file:///etc/passwd", http.StatusFound)
		case "/moved-to-user":
			http.Redirect(w, r, "http://user:password@"+r.Host+"/hello", http.StatusFound)
		default:
			http.Error(w, "nothing here", http.StatusNotFound)
		}
	})
	for _, tc := range []struct {
		name    string
		in      map[string]any
		want    string
		isError bool
	}{
		{"plain", map[string]any{"url": "/hello"}, "hello world", false},
		{"prompt", map[string]any{"url": "/hello", "prompt": "a greeting"}, "Looking for: a greeting\n\nhello world", false},
		{"cut at max_bytes", map[string]any{"url": "/hello", "max_bytes": 5}, "hello\n[only the first 5 bytes were read]", false},
		{"max_bytes is its size", map[string]any{"url": "/hello", "max_bytes": 11}, "hello world", false},
		{"redirected", map[string]any{"url": "/moved"}, "[redirected to ADDRESS/hello?moved]\n\nhello world", false},
		{"not found", map[string]any{"url": "/nowhere"}, "nothing here\n\n[HTTP 404 Not Found]", true},
		{"picture", map[string]any{"url": "/picture"}, "ADDRESS/picture could not be fetched: it holds image/png (4 bytes), and only text can be fetched", true},
		{"brotli", map[string]any{"url": "/brotli"}, `ADDRESS/brotli could not be fetched: it is compressed as "br", which cannot be read`, true},
		{"cut", map[string]any{"url": "/cut"}, "ADDRESS/cut could not be fetched: unexpected EOF", true},
		{"redirected to a file", map[string]any{"url": "/moved-to-file"}, `ADDRESS/moved-to-file could not be fetched: only http and https addresses can be fetched, not "file"`, true},
		{"redirected to a user", map[string]any{"url": "/moved-to-user"}, "ADDRESS/moved-to-user could not be fetched: addresses with a user name or password cannot be fetched", true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			tc.in["url"] = address + tc.in["url"].(string)
			r := prepareFetch(t, tc.in).Run(t.Context(), Hooks{})
			if want := strings.ReplaceAll(tc.want, "ADDRESS", address); r.Text != want || r.IsError != tc.isError {
				t.Errorf("%q, error %t\nwant %q", r.Text, r.IsError, want)
			}
		})
	}
	t.Run("long", func(t *testing.T) {
		r := prepareFetch(t, map[string]any{"url": address + "/long", "prompt": "the end"}).Run(t.Context(), Hooks{})
		if len(r.Text) > MaxText || len(r.Text) < MaxText-100 || string(r.Full) != long ||
			!strings.HasPrefix(r.Text, "Looking for: the end\n\n0123") || !strings.HasSuffix(r.Text, "cde\n") || !strings.Contains(r.Text, " bytes omitted …]") {
			t.Errorf("%d bytes of %d: %.60q", len(r.Text), len(r.Full), r.Text)
		}
	})
	t.Run("long prompt", func(t *testing.T) {
		r := prepareFetch(t, map[string]any{"url": address + "/long", "prompt": long}).Run(t.Context(), Hooks{})
		if len(r.Text) > MaxText || !utf8.ValidString(r.Text) {
			t.Errorf("%d bytes", len(r.Text))
		}
	})
}

func TestFetchCountsRedirects(t *testing.T) {
	address := serve(t, func(w http.ResponseWriter, r *http.Request) {
		var left int
		if _, _ = fmt.Sscanf(r.URL.Path, "/%d", &left); left > 0 {
			http.Redirect(w, r, fmt.Sprintf("/%d", left-1), http.StatusFound)
			return
		}
		w.Header().Set("Content-Type", "text/plain")
	})
	for redirects, isError := range map[string]bool{"5": false, "6": true} {
		r := prepareFetch(t, map[string]any{"url": address + "/" + redirects}).Run(t.Context(), Hooks{})
		if r.IsError != isError {
			t.Errorf("%s redirects: %q", redirects, r.Text)
		}
	}
}

// A few kilobytes that unpack to a gigabyte are read as far as anything else.
func TestFetchBomb(t *testing.T) {
	racetest.Skip(t, racetest.Sequential)
	address := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		w.Header().Set("Content-Encoding", "gzip")
		zip := gzip.NewWriter(w)
		block := []byte(strings.Repeat("a", 1<<20))
		for range 1 << 10 {
			if _, err := zip.Write(block); err != nil {
				return // the client has had enough
			}
		}
	})
	r := prepareFetch(t, map[string]any{"url": address}).Run(t.Context(), Hooks{})
	if r.IsError || r.Fetch.Bytes != fetchLimit || len(r.Full) != fetchLimit || !strings.HasSuffix(r.Text, "a\n[only the first 5242880 bytes were read]") {
		t.Errorf("%+v, %d bytes kept", r.Fetch, len(r.Full))
	}
}

func TestFetchStopsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	address := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		_, _ = io.WriteString(w, "and then")
		_ = http.NewResponseController(w).Flush()
		cancel(errors.New("interrupted"))
		<-r.Context().Done() // the connection is closed
	})
	r := prepareFetch(t, map[string]any{"url": address}).Run(ctx, Hooks{})
	if !r.IsError || r.Text != address+" could not be fetched: interrupted" {
		t.Errorf("%q", r.Text)
	}
}

func TestFetchRefusesURLs(t *testing.T) {
	for address, want := range map[string]string{
		"ftp://example.com/":         "only http and https",
		"file:///etc/passwd":         "only http and https",
		"example.com":                "only http and https",
		"http://user@example.com/":   "user name or password",
		"https://u:p@example.com/":   "user name or password",
		"http:///path":               "no host",
		"http://[::1/":               "cannot be read",
		"http://exa mple.com/":       "cannot be read",
		"javascript:alert(document)": "only http and https",
	} {
		input, err := json.Marshal(map[string]any{"url": address})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Fetch().Prepare(&Env{}, input); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", address, err)
		}
	}
}

func TestFetchRequest(t *testing.T) {
	got := prepareFetch(t, map[string]any{"url": " https://example.com/a?b=c "}).Request()
	want := approval.Request{Level: approval.Execute, URL: "https://example.com/a?b=c", Summary: "fetch https://example.com/a?b=c"}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%+v\nwant %+v", got, want)
	}
}

// TestFetchOfAPrivateAddress: an address that may not be reached is refused before anybody is
// asked about it.
func TestFetchOfAPrivateAddress(t *testing.T) {
	for address, refused := range map[string]bool{
		"http://localhost:1/": true, "http://LOCALHOST./": true, "http://a.localhost/": true, "http://127.0.0.1:1/": true, "http://[::1]/": true, "http://10.0.0.1/x": true, "http://169.254.169.254/": true,
		"http://93.184.216.34/": false, "https://example.com/": false,
	} {
		_, err := Fetch().Prepare(&Env{}, jsontext.Value(`{"url":"`+address+`"}`))
		if (err != nil) != refused {
			t.Errorf("%s: %v", address, err)
		}
	}
}

// TestFetchOfMetadata checks that a private network does not include the metadata services of clouds.
func TestFetchOfMetadata(t *testing.T) {
	for address, refused := range map[string]bool{
		"http://169.254.169.254/": true, "http://[fe80::1]/": true, "http://[::ffff:169.254.169.254]/": true, "http://[fd00:ec2::254]/": true,
		"http://localhost:1/": false, "http://127.0.0.1:1/": false, "http://10.0.0.1/x": false, "http://[fd00:1::1]/": false, "http://100.64.0.1/": false,
	} {
		_, err := Fetch().Prepare(&Env{PrivateNetwork: true}, jsontext.Value(`{"url":"`+address+`"}`))
		if (err != nil) != refused {
			t.Errorf("%s: %v", address, err)
		}
	}
	address := serve(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://169.254.169.254/latest/meta-data", http.StatusFound)
	})
	if r := prepareFetch(t, map[string]any{"url": address}).Run(t.Context(), Hooks{}); !r.IsError || !strings.Contains(r.Text, "169.254.169.254 is an address") {
		t.Errorf("%q", r.Text)
	}
}
