package config

import (
	"strings"
	"testing"
)

// TestClientServers: servers of a client are read as those of the configuration, but with no variable of this process.
func TestClientServers(t *testing.T) {
	t.Setenv("PARLEY_TEST_SECRET", "do not send")
	servers, err := ClientServers([]byte(`{"b":{"command":"x","args":["${UNSET:-a}"]},"a":{"httpUrl":"https://x.y/mcp"},"c":{"command":"y","disabled":true}}`))
	if err != nil || len(servers) != 2 || servers[0].Name != "a" || servers[0].URL != "https://x.y/mcp" || servers[1].Args[0] != "a" {
		t.Errorf("%+v, %v", servers, err)
	}
	for value, want := range map[string]string{
		`[]`:                               "servers: ",
		`{"x":{}}`:                         "servers.x: give either command or url",
		`{"x":{"command":"a","colour":1}}`: "colour",
		`{"":{"command":"a"}}`:             "servers: a server has no name",
		`{"x":{"url":"https://x.y","headers":{"A":"${PARLEY_TEST_SECRET}"}}}`: "servers.x.headers.A: the variable PARLEY_TEST_SECRET is not set",
		`{"x":{"command":"a","tools":["["]}}`:                                 "servers.x.tools[0]",
	} {
		if _, err := ClientServers([]byte(value)); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "do not send") || strings.Contains(err.Error(), "Go ") {
			t.Errorf("%s: %v, want %s", value, err, want)
		}
	}
}
