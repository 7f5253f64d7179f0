package websearch

import (
	"strings"

	"parley.dev/parley/internal/tool"
)

// withSites returns query with the operators that most search engines support for domains.
func withSites(query string, domains tool.Domains) string {
	var allowed []string
	for _, domain := range domains.Allowed {
		allowed = append(allowed, "site:"+domain)
	}
	if len(allowed) > 1 {
		query += " (" + strings.Join(allowed, " OR ") + ")"
	} else if len(allowed) == 1 {
		query += " " + allowed[0]
	}
	for _, domain := range domains.Blocked {
		query += " -site:" + domain
	}
	return query
}
