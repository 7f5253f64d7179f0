package draw

import (
	"net/url"
	"strings"

	"parley.dev/parley/internal/lazy"
)

// addressLimit is the size of addresses of links; terminals ignore longer ones.
const addressLimit = 2000

// safeLink returns the address of a link in ASCII, without anything that could end it; "" if it leads neither to the
// web nor to a mailbox.
func safeLink(address string) string {
	u, err := url.Parse(strings.TrimSpace(address))
	if err != nil {
		return ""
	}
	switch strings.ToLower(u.Scheme) {
	case "http", "https":
		if u.Host == "" {
			return ""
		}
	case "mailto":
		if u.Opaque == "" {
			return ""
		}
	default:
		return ""
	}
	text := u.String()
	if len(text) > addressLimit {
		return ""
	}
	var b strings.Builder
	for i := range len(text) {
		if c := text[i]; c > ' ' && c < 0x7f {
			b.WriteByte(c)
		} else {
			b.WriteString("%" + strings.ToUpper(string("0123456789abcdef"[c>>4])+string("0123456789abcdef"[c&15])))
		}
	}
	return b.String()
}

// link returns the address for OSC 8; "" if the terminal has no links.
func (d *Drawer) link(address string) string {
	if !d.options.Links {
		return ""
	}
	return safeLink(address)
}

var address = lazy.Regexp{Expr: `https?://[^\s<>"'\x60\\^{|}]+`}

// addressIn returns the first address of the web in a text.
func addressIn(text string) string {
	return strings.TrimRight(address.Get().FindString(text), ".,;:!?)]")
}

// addresses returns a clean line with its addresses as links, wrapped.
func (d *Drawer) addresses(text string, look style, width int) []line {
	if !d.options.Links || !strings.Contains(text, "://") {
		return wrap(line{{text: text, style: look}}, width)
	}
	var l line
	from := 0
	for _, at := range address.Get().FindAllStringIndex(text, -1) {
		end := at[0] + len(addressIn(text[at[0]:at[1]]))
		l = append(l, span{text: text[from:at[0]], style: look}, span{text: text[at[0]:end], style: look, link: d.link(text[at[0]:end])})
		from = end
	}
	return wrap(append(l, span{text: text[from:], style: look}), width)
}
