package web

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"unicode"
)

// bundle is the page of the web console, as `make web` has built it from web/.
//
//go:embed page/index.html page/app.js page/app.css
var bundle embed.FS

// An asset is a file of the bundle, as it is and compressed.
type asset struct {
	kind       string // Content-Type
	data       []byte
	compressed []byte
	hash       string
}

// readAsset returns a file of the bundle.
func readAsset(name, kind string) (*asset, error) {
	data, err := bundle.ReadFile("page/" + name)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(data); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	sum := sha256.Sum256(data)
	return &asset{kind, data, b.Bytes(), base64.RawURLEncoding.EncodeToString(sum[:12])}, nil
}

// ServeHTTP answers with the file. Browsers store it and request each time whether it is still the same one: the next
// version of the program has another.
func (a *asset) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Cache-Control", "no-cache")
	h.Set("Vary", "Accept-Encoding")
	data, tag := a.data, `"`+a.hash+`"`
	if acceptsGzip(r.Header.Values("Accept-Encoding")) {
		data, tag = a.compressed, `"`+a.hash+`-gzip"`
		h.Set("Content-Encoding", "gzip")
	}
	h.Set("ETag", tag)
	if matches(r.Header.Values("If-None-Match"), tag) {
		h.Del("Content-Encoding")
		w.WriteHeader(http.StatusNotModified)
		return
	}
	h.Set("Content-Type", a.kind)
	h.Set("Content-Length", strconv.Itoa(len(data)))
	_, _ = w.Write(data) // the client is gone if not
}

// acceptsGzip reports whether the values of Accept-Encoding allow gzip.
func acceptsGzip(values []string) bool {
	accepted := false
	for item := range strings.SplitSeq(strings.Join(values, ","), ",") {
		coding, parameter, _ := strings.Cut(item, ";")
		coding = strings.ToLower(strings.TrimSpace(coding))
		if coding != "gzip" && coding != "*" {
			continue
		}
		text, weighted := strings.CutPrefix(strings.ToLower(strings.TrimSpace(parameter)), "q=")
		weight, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
		allowed := !weighted || err == nil && weight > 0
		if coding == "gzip" {
			return allowed
		}
		accepted = allowed
	}
	return accepted
}

// matches reports whether the values of If-None-Match have a tag. The comparison is the weak one of RFC 9110.
func matches(values []string, tag string) bool {
	for item := range strings.SplitSeq(strings.Join(values, ","), ",") {
		if item = strings.TrimSpace(item); item == "*" || strings.TrimPrefix(item, "W/") == tag {
			return true
		}
	}
	return false
}

// servePage answers the addresses of the page, all with the same document, and what it loads.
func servePage(mux *http.ServeMux) error {
	document, err := readAsset("index.html", "text/html; charset=utf-8")
	if err != nil {
		return fmt.Errorf("page: %w", err)
	}
	for _, path := range []string{"/{$}", "/usage"} {
		mux.Handle("GET "+path, document)
	}
	for _, view := range []string{"", "/files", "/timeline"} {
		mux.HandleFunc("GET /s/{session}"+view, func(w http.ResponseWriter, r *http.Request) {
			if !sessionName(r.PathValue("session")) {
				refuse(w, http.StatusNotFound, "no session has this name")
				return
			}
			document.ServeHTTP(w, r)
		})
	}
	for name, kind := range map[string]string{"app.js": "text/javascript; charset=utf-8", "app.css": "text/css; charset=utf-8"} {
		a, err := readAsset(name, kind)
		if err != nil {
			return fmt.Errorf("page: %w", err)
		}
		mux.Handle("GET /"+name, a)
	}
	return nil
}

// sessionName reports whether a session could have that name. Whether there is one is nothing that the page says.
func sessionName(name string) bool {
	return strings.Trim(name, ".") != "" && !strings.ContainsFunc(name, func(r rune) bool { return r == '/' || r == '\\' || unicode.IsControl(r) })
}
