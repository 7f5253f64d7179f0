package html

import (
	"net/url"
	"strings"
)

// leadsOut reports whether an address is allowed in links: the web or a mailbox.
func leadsOut(address string) bool {
	u, err := url.Parse(address)
	if err != nil {
		return false
	}
	switch strings.ToLower(u.Scheme) {
	case "http", "https":
		return u.Host != ""
	case "mailto":
		return u.Opaque != ""
	}
	return false
}

// link writes a link.
func (s *sheet) link(address, label string) {
	s.openLink(address)
	s.text(label)
	s.endLink(address)
}

// openLink begins a link, or its replacement if the address is not allowed.
func (s *sheet) openLink(address string) {
	if leadsOut(address) {
		s.open("a", "href", address, "rel", "noopener noreferrer nofollow")
	} else {
		s.open("span", "class", "dead", "title", address)
	}
}

func (s *sheet) endLink(address string) {
	if leadsOut(address) {
		s.end("a")
	} else {
		s.end("span")
	}
}
