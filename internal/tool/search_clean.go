package tool

import (
	"cmp"
	"net/url"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"parley.dev/parley/internal/event"
)

// The bounds of a hit. With them the most hits fit 100 KiB, whatever their text is.
const (
	hitTitle   = 200  // runes
	hitSnippet = 500  // runes
	hitURL     = 2000 // bytes
	hitRead    = 16 << 10
)

// cleanHit makes hit fit for a model and says which host it is from, in lower case; false:
// it has no address that could be fetched.
func cleanHit(hit *event.SearchHit) (host string, ok bool) {
	address, err := url.Parse(strings.TrimSpace(hit.URL))
	if err != nil || checkURL(address) != nil {
		return "", false
	}
	hit.URL = strings.ReplaceAll(address.String(), " ", "%20")
	if len(hit.URL) > hitURL || plainLine(hit.URL) != hit.URL {
		return "", false
	}
	hit.Title = cmp.Or(cleanText(hit.Title, hitTitle), address.Hostname())
	hit.Snippet = cleanText(hit.Snippet, hitSnippet)
	return strings.ToLower(address.Hostname()), true
}

// cleanText returns at most limit runes of text as one line, without the markup that services
// put around what matches. A name in angle brackets that is no HTML, as in List<String>, stays.
func cleanText(text string, limit int) string {
	if len(text) > hitRead {
		text = strings.ToValidUTF8(text[:hitRead], "")
	}
	line := []rune(plainLine(withoutMarkup(text)))
	if len(line) > limit {
		return strings.TrimRight(string(line[:limit-1]), " ") + "…"
	}
	return string(line)
}

// spaced are the elements that end a word.
var spaced = map[atom.Atom]bool{
	atom.Br: true, atom.P: true, atom.Div: true, atom.Li: true, atom.Td: true, atom.Th: true, atom.Tr: true,
	atom.H1: true, atom.H2: true, atom.H3: true, atom.Hr: true, atom.Pre: true,
}

func withoutMarkup(text string) string {
	if !strings.ContainsAny(text, "<&") {
		return text
	}
	var out strings.Builder
	tokens := html.NewTokenizer(strings.NewReader(text))
	for hidden := atom.Atom(0); ; {
		kind := tokens.Next()
		raw := string(tokens.Raw()) // before the names are read, which changes it
		switch kind {
		case html.ErrorToken:
			out.WriteString(unfinished(raw))
			return out.String()
		case html.TextToken:
			if hidden == 0 {
				out.Write(tokens.Text())
			}
		case html.StartTagToken, html.EndTagToken, html.SelfClosingTagToken:
			name, _ := tokens.TagName()
			tag := atom.Lookup(name)
			switch {
			case tag == 0:
				out.WriteString(raw)
			case tag == atom.Script || tag == atom.Style:
				hidden = 0
				if kind == html.StartTagToken {
					hidden = tag
				}
			case spaced[tag]:
				out.WriteByte(' ')
			}
		}
	}
}

// unfinished returns what stands after the last whole token: a tag that was cut off, or text
// that only began like one.
func unfinished(raw string) string {
	name := strings.TrimLeft(raw, "</")
	if i := strings.IndexAny(name, " \t\r\n/>"); i >= 0 {
		name = name[:i]
	}
	if name == "" || atom.Lookup([]byte(strings.ToLower(name))) != 0 {
		return ""
	}
	return raw
}
