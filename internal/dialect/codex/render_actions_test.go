package codex

import "testing"

// TestActions: clients are shown what a command line reads, lists and searches where that is certain.
func TestActions(t *testing.T) {
	for line, want := range map[string]string{
		"cat a.go":                        `[{"type":"read","command":"cat a.go","name":"a.go","path":"/w/a.go"}]`,
		"head -n 5 /x/a.go":               `[{"type":"read","command":"head -n 5 /x/a.go","name":"a.go","path":"/x/a.go"}]`,
		"nl -ba d/a.go | head -n5":        `[{"type":"read","command":"nl -ba d/a.go | head -n5","name":"a.go","path":"/w/d/a.go"}]`,
		"cat -- -a":                       `[{"type":"read","command":"cat -- -a","name":"-a","path":"/w/-a"}]`,
		"ls -la":                          `[{"type":"listFiles","command":"ls -la","path":null}]`,
		"ls d && cat b":                   `[{"type":"listFiles","command":"ls d","path":"d"},{"type":"read","command":"cat b","name":"b","path":"/w/b"}]`,
		"rg -n 'a b' internal | head -n3": `[{"type":"search","command":"rg -n 'a b' internal | head -n3","path":"internal","query":"a b"}]`,
		"grep -rn x":                      `[{"type":"search","command":"grep -rn x","path":null,"query":"x"}]`,
		"cat a b":                         `[{"type":"unknown","command":"cat a b"}]`,
		"ls a b":                          `[{"type":"unknown","command":"ls a b"}]`,
		"cat":                             `[{"type":"unknown","command":"cat"}]`,
		"ls --color":                      `[{"type":"unknown","command":"ls --color"}]`,
		"cat a | grep x":                  `[{"type":"unknown","command":"cat a | grep x"}]`,
		"grep -e x a":                     `[{"type":"unknown","command":"grep -e x a"}]`,
		"grep -f x a":                     `[{"type":"unknown","command":"grep -f x a"}]`,
		"ls; rm a":                        `[{"type":"unknown","command":"ls; rm a"}]`,
		"cat a > b":                       `[{"type":"unknown","command":"cat a > b"}]`,
		"cd d && cat a":                   `[{"type":"unknown","command":"cd d && cat a"}]`,
		"cat - ":                          `[{"type":"unknown","command":"cat - "}]`,
	} {
		if got := string(marshal(actionsOf(line, "/w"))); got != want {
			t.Errorf("%q: %s, want %s", line, got, want)
		}
	}
}
