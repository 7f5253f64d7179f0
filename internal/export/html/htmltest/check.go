package htmltest

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"
)

// The allowed elements of a page, each with its allowed attributes besides the common ones.
var elements = map[string]string{
	"html": "lang", "head": "", "meta": "charset http-equiv content name", "title": "", "style": "", "link": "rel href", "body": "",
	"header": "", "main": "", "footer": "", "nav": "", "article": "", "section": "",
	"h1": "", "h2": "", "h3": "", "h4": "", "h5": "", "h6": "",
	"p": "", "div": "", "span": "title", "br": "", "hr": "", "ul": "", "ol": "start", "li": "", "dl": "", "dt": "", "dd": "",
	"blockquote": "", "pre": "", "code": "", "em": "", "strong": "", "del": "", "ins": "",
	"table": "", "thead": "", "tbody": "", "tr": "", "th": "align", "td": "align",
	"details": "open", "summary": "", "time": "datetime", "figure": "", "figcaption": "",
	"a": "href rel", "img": "src alt",
}

const common = "class id dir role tabindex aria-label"

// Harm returns the forbidden parts of a page: elements and attributes that are not on the list,
// addresses that load something or that are not on the web, a second style sheet, characters that
// hide or reorder others.
func Harm(page []byte) (findings []string) {
	add := func(format string, args ...any) { findings = append(findings, fmt.Sprintf(format, args...)) }
	if !utf8.Valid(page) {
		add("it is not UTF-8")
	}
	for _, r := range string(page) {
		if r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)) {
			add("it has the character %U", r)
			break
		}
	}
	root, err := html.Parse(strings.NewReader(string(page)))
	if err != nil {
		return append(findings, err.Error())
	}
	counts := map[string]int{}
	for n := range root.Descendants() {
		switch n.Type {
		case html.ElementNode:
			counts[n.Data]++
			findings = append(findings, harmOf(n)...)
		case html.CommentNode:
			add("it has a comment: %q", n.Data)
		}
	}
	for _, name := range []string{"style", "main", "h1", "title"} {
		if counts[name] != 1 {
			add("it has %d elements %s", counts[name], name)
		}
	}
	return findings
}

func harmOf(n *html.Node) (findings []string) {
	allowed, known := elements[n.Data]
	if !known || n.Namespace != "" {
		return []string{"it has the element " + n.Data}
	}
	names := strings.Fields(common + " " + allowed)
	for _, a := range n.Attr {
		if !slices.Contains(names, a.Key) || a.Namespace != "" {
			findings = append(findings, fmt.Sprintf("%s has the attribute %s=%q", n.Data, a.Key, a.Val))
		}
		if (a.Key == "href" || a.Key == "src") && !harmless(n, a.Val) {
			findings = append(findings, fmt.Sprintf("%s leads to %q", n.Data, a.Val))
		}
	}
	return findings
}

func harmless(n *html.Node, address string) bool {
	switch {
	case n.Data == "img":
		return slices.ContainsFunc([]string{"png", "jpeg", "gif", "webp"}, func(kind string) bool {
			return strings.HasPrefix(address, "data:image/"+kind+";base64,")
		})
	case n.Data == "link":
		return address == "data:,"
	case strings.HasPrefix(address, "#"):
		return true
	}
	u, err := url.Parse(address)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https" || u.Scheme == "mailto")
}
