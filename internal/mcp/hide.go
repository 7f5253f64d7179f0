package mcp

import (
	"net/url"
	"slices"
	"strings"
)

// A hider takes the secrets of a server's configuration out of texts: the values of its
// variables and headers, and what its address holds besides the way.
type hider struct{ replacer *strings.Replacer }

// shortSecret is the length in bytes below which a value may stand in any text.
const shortSecret = 6

const hidden = "[hidden]"

func newHider(c config) hider {
	var secrets []string
	add := func(value string) {
		if len(value) >= shortSecret {
			secrets = append(secrets, value)
		}
	}
	for _, value := range c.Env {
		add(value)
	}
	for _, value := range c.Headers {
		add(value)
		_, credential, _ := strings.Cut(value, " ") // behind "Bearer"
		add(credential)
	}
	if u, err := url.Parse(c.URL); err == nil {
		add(u.RawQuery)
		add(u.User.String())
		for _, values := range u.Query() {
			for _, value := range values {
				add(value)
			}
		}
	}
	slices.SortFunc(secrets, func(a, b string) int { return len(b) - len(a) })
	var pairs []string
	for _, s := range secrets {
		pairs = append(pairs, s, hidden)
	}
	return hider{strings.NewReplacer(pairs...)}
}

func (h hider) text(text string) string { return h.replacer.Replace(text) }

// maxProblem bounds an error of a server, in bytes.
const maxProblem = 1 << 10

// error is err in one line for people.
func (h hider) error(err error) string { return brief(plain(h.text(err.Error())), maxProblem) }
