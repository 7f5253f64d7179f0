package html

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"strings"
	"time"
)

//go:embed style.css
var style string

// policy forbids a browser to load or run anything except the page's own style and the images in
// it.
func policy() string {
	sum := sha256.Sum256([]byte(style))
	return "default-src 'none'; script-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) +
		"'; img-src data:; base-uri 'none'; form-action 'none'"
}

func (f *fold) head(o Options) {
	title := o.Title
	if title == "" {
		title = f.index.title()
	}
	f.put("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n")
	f.open("meta", "http-equiv", "Content-Security-Policy", "content", policy())
	f.put("\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n")
	f.put("<meta name=\"color-scheme\" content=\"light dark\">\n<meta name=\"referrer\" content=\"no-referrer\">\n")
	f.put("<link rel=\"icon\" href=\"data:,\">\n")
	f.element("title", title)
	f.put("\n<style>")
	f.put(markup(style)) // our own
	f.put("</style>\n</head>\n<body>\n<a class=\"skip\" href=\"#session\">Skip to the session</a>\n<header class=\"top\">\n")
	f.element("h1", title, "dir", "auto")
	f.put("\n<dl class=\"facts\">\n")
	for _, fact := range append(f.facts(), o.Facts...) {
		if fact.Value != "" {
			f.put("<div>")
			f.element("dt", fact.Name)
			f.element("dd", fact.Value)
			f.put("</div>\n")
		}
	}
	f.put("</dl>\n</header>\n")
	f.contents()
	f.put("<main id=\"session\">\n")
}

func (f *fold) facts() []Fact {
	ix := f.index
	created := ix.created
	facts := []Fact{
		{"Session", string(created.ID)},
		{"Branched from", string(created.Parent)},
		{"Workspace", created.Workspace},
		{"Model", strings.Join(ix.models, ", ")},
	}
	if !ix.began.IsZero() {
		facts = append(facts, Fact{"Began", ix.began.UTC().Format("2 January 2006, 15:04 UTC")})
		if d := ix.ended.Sub(ix.began); d >= time.Second {
			facts = append(facts, Fact{"Lasted", took(d)})
		}
	}
	did := []string{count(ix.turns, "turn"), count(ix.calls, "tool call")}
	if n := len(ix.changed); n > 0 {
		did = append(did, count(n, "file")+" changed")
	}
	return append(facts, Fact{"Did", strings.Join(did, ", ")}, Fact{"Used", strings.Join(spent(ix.usage, ix.cost), ", ")})
}

// contents writes a table of contents with the prompts, if there are enough of them.
func (f *fold) contents() {
	const few = 2
	prompts := f.index.prompts
	if len(prompts) <= few {
		return
	}
	f.put("<nav aria-label=\"Prompts\"><details>")
	f.element("summary", count(len(prompts), "prompt"))
	f.put("<ol>\n")
	for _, p := range prompts {
		f.put("<li>")
		f.element("a", p.text, "href", "#"+anchor(p.seq))
		f.put("</li>\n")
	}
	f.put("</ol></details></nav>\n")
}

func (f *fold) foot(o Options) {
	f.flush()
	f.endLeft()
	f.put("</main>\n<footer>")
	f.text(strings.TrimSpace("Written by Parley "+o.Version) + ". Times are UTC.")
	f.put("</footer>\n</body>\n</html>\n")
}
