package tool

import (
	"fmt"
	"slices"
	"strings"
)

// Domains is where results of a web search may come from. A domain is in lower case and
// stands for itself and all below it.
type Domains struct {
	Allowed []string // nil: all
	Blocked []string // they win over Allowed
}

// searchDomains is how many domains of a kind one search takes.
const searchDomains = 50

func newDomains(allowed, blocked []string) (d Domains, err error) {
	if d.Allowed, err = domainList("allowed_domains", allowed); err != nil {
		return d, err
	}
	d.Blocked, err = domainList("blocked_domains", blocked)
	return d, err
}

func domainList(field string, names []string) ([]string, error) {
	if len(names) > searchDomains {
		return nil, fmt.Errorf("%s has %d entries: use at most %d", field, len(names), searchDomains)
	}
	var domains []string
	for _, name := range names {
		domain, ok := domainOf(name)
		if !ok {
			return nil, fmt.Errorf("%s: %q is not a domain: write it like example.com", field, name)
		}
		if !slices.Contains(domains, domain) {
			domains = append(domains, domain)
		}
	}
	return domains, nil
}

// domainOf forgives what users write around a domain: a scheme, a leading star, a slash.
func domainOf(name string) (domain string, ok bool) {
	name = strings.ToLower(strings.TrimSpace(name))
	name = strings.TrimPrefix(strings.TrimPrefix(name, "https://"), "http://")
	name = strings.TrimSuffix(strings.TrimSuffix(name, "/"), ".")
	name = strings.TrimPrefix(strings.TrimPrefix(name, "*"), ".")
	for _, label := range strings.Split(name, ".") {
		if label == "" || strings.ContainsFunc(label, notInLabel) {
			return "", false
		}
	}
	return name, len(name) <= 253
}

func notInLabel(r rune) bool {
	return r < 0x80 && (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '-' && r != '_' || r == '\uFFFD' || plainLine(string(r)) == ""
}

func (d Domains) none() bool { return len(d.Allowed) == 0 && len(d.Blocked) == 0 }

// keep reports whether a result from host, in lower case, is wanted.
func (d Domains) keep(host string) bool {
	host = strings.TrimSuffix(host, ".")
	in := func(domain string) bool { return host == domain || strings.HasSuffix(host, "."+domain) }
	return !slices.ContainsFunc(d.Blocked, in) && (len(d.Allowed) == 0 || slices.ContainsFunc(d.Allowed, in))
}
