package mcp

import (
	"bytes"
	"io"
	"net/url"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/lock"
	"parley.dev/parley/internal/tool/environ"
)

// A hider removes the secrets of a server's configuration from what the server sends.
type hider struct {
	all     *strings.Replacer // values of all variables and headers, and what the address holds besides the way
	secrets *strings.Replacer // the same without variables whose names do not mark them as secret
	tokens  *tokenHider       // of the user's sign-in
}

// A tokenHider has the tokens that were sent to a server.
type tokenHider struct {
	mu    lock.Mutex
	texts []string
}

// shortSecret is the length in bytes below which a value may stand in any text.
const shortSecret = 6

const hidden = "[hidden]"

func newHider(c config) hider {
	var all, secrets []string
	add := func(secret bool, value string) {
		if len(value) < shortSecret {
			return
		}
		all = append(all, value)
		if secret {
			secrets = append(secrets, value)
		}
	}
	for _, value := range c.Secrets {
		add(true, value)
	}
	add(true, c.OAuth.ClientSecret)
	for name, value := range c.Env {
		add(environ.IsSecretName(name), value)
	}
	for _, value := range c.Headers {
		add(true, value)
		_, credential, _ := strings.Cut(value, " ") // after "Bearer"
		add(true, credential)
	}
	if u, err := url.Parse(c.URL); err == nil {
		add(true, u.RawQuery)
		add(true, u.User.String())
		for _, values := range u.Query() {
			for _, value := range values {
				add(true, value)
			}
		}
	}
	return hider{replacer(all), replacer(secrets), &tokenHider{}}
}

// replacer puts hidden in the place of values, the longest first.
func replacer(values []string) *strings.Replacer {
	slices.SortFunc(values, func(a, b string) int { return len(b) - len(a) })
	var pairs []string
	for _, value := range values {
		pairs = append(pairs, value, hidden)
	}
	return strings.NewReplacer(pairs...)
}

// text returns an error or a log line without any value of the configuration.
func (h hider) text(text string) string { return h.tokens.replace(h.all.Replace(text)) }

// content returns a text that the server sends for models without the secrets of the configuration.
// Other values stay: a folder that a server is configured with stands in each of its results.
func (h hider) content(text string) string { return h.tokens.replace(h.secrets.Replace(text)) }

// json returns content for the strings and member names of a JSON value.
func (h hider) json(value jsontext.Value) jsontext.Value {
	var b bytes.Buffer
	in := jsontext.NewDecoder(bytes.NewReader(value), jsontext.AllowDuplicateNames(true))
	out := jsontext.NewEncoder(&b, jsontext.AllowDuplicateNames(true))
	for {
		token, err := in.ReadToken()
		if err == io.EOF {
			return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
		}
		if err == nil {
			if token.Kind() == '"' {
				token = jsontext.String(h.content(token.String()))
			}
			err = out.WriteToken(token)
		}
		if err != nil { // it is no JSON, and nothing of it is shown
			return jsontext.Value("null")
		}
	}
}

// maxProblem bounds an error of a server, in bytes.
const maxProblem = 1 << 10

// error returns err in one line for users.
func (h hider) error(err error) string { return brief(plain(h.text(cause(err).Error())), maxProblem) }
