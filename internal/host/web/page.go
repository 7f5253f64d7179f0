package web

import (
	"embed"
	"net/http"
)

// page is what a browser is shown that opens a one-time link.
//
//go:embed page
var page embed.FS

// servePage answers the paths of the page.
func servePage(mux *http.ServeMux) {
	for path, file := range map[string]struct{ name, kind string }{
		"GET /{$}":       {"page/signin.html", "text/html; charset=utf-8"},
		"GET /signin.js": {"page/signin.js", "text/javascript; charset=utf-8"},
	} {
		data, err := page.ReadFile(file.name)
		if err != nil {
			panic(err) // it is in the program
		}
		mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", file.kind)
			_, _ = w.Write(data) // the client is gone if not
		})
	}
}
