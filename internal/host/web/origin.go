package web

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// An Origin is where pages come from: a scheme, a host, and a port if it is not that of the scheme.
type Origin struct{ scheme, host string }

// ParseOrigin reads an origin such as https://parley.example.
func ParseOrigin(text string) (Origin, error) {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil || u.Path != "" && u.Path != "/" ||
		u.RawQuery != "" || u.ForceQuery || strings.Contains(text, "#") {
		return Origin{}, fmt.Errorf("origin %q is not of the form https://HOST or http://HOST:PORT", text)
	}
	return Origin{u.Scheme, strings.ToLower(u.Host)}, nil
}

// String returns the origin as browsers send it.
func (o Origin) String() string { return o.scheme + "://" + o.host }

// configured reports whether a host, with its port, is that of a configured origin, and which.
func (s *Server) configured(host string) (Origin, bool) {
	for _, o := range s.o.Origins {
		if strings.EqualFold(o.host, host) {
			return o, true
		}
	}
	return Origin{}, false
}

// origin returns the origin of this server as its client sees it: in front of it may be a server that does TLS.
func (s *Server) origin(r *http.Request) string {
	if o, ok := s.configured(r.Host); ok {
		return o.String()
	}
	if r.TLS != nil {
		return "https://" + r.Host
	}
	return "http://" + r.Host
}

// sameOrigin reports whether a request comes from a page of this server or of a configured origin, or from no page.
func (s *Server) sameOrigin(r *http.Request) bool {
	sent := r.Header.Values("Origin")
	if len(sent) == 0 {
		return true
	}
	if len(sent) > 1 {
		return false
	}
	if strings.EqualFold(sent[0], s.origin(r)) {
		return true
	}
	for _, o := range s.o.Origins {
		if sent[0] == o.String() {
			return true
		}
	}
	return false
}
