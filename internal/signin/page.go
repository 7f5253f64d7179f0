package signin

import (
	"fmt"
	"html"
	"net/http"
)

// showPage answers a browser. The texts may be a stranger's: they are shown, and nothing in
// them runs or loads.
func showPage(w http.ResponseWriter, status int, title, text string) {
	header := w.Header()
	header.Set("Content-Type", "text/html; charset=utf-8")
	header.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Referrer-Policy", "no-referrer")
	header.Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	title, text = html.EscapeString(title), html.EscapeString(text)
	fmt.Fprintf(w, "<!doctype html>\n<title>%s</title>\n<h1>%s</h1>\n<p>%s</p>\n", title, title, text)
}
