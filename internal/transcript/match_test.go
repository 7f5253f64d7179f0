package transcript

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

// FuzzMatch: a line that is recorded matches itself, and no line that has one value more.
func FuzzMatch(f *testing.F) {
	for _, seed := range []string{
		`{"a":1,"b":[true,null,{"c":"x"}]}`, `[]`, `"text*"`, `{"$a":"$b","c":"$$ $WORK/x"}`, `1e3`, `{"a":{"a":{}}}`, "plain $text", `[1,`,
	} {
		f.Add(seed)
	}
	where := folders{work: "/tmp/w", home: "/tmp/h"}
	f.Fuzz(func(t *testing.T, line string) {
		if strings.Contains(line, `\u`) {
			return // a dollar may be hidden in it
		}
		names, err := where.binds()
		if err != nil {
			t.Fatal(err)
		}
		m := matcher{binds: names}
		recorded := where.hide(line)
		if err := m.line(recorded, line); err != nil {
			t.Errorf("%s recorded as %s: %v", line, recorded, err)
		}
		if v := jsontext.Value(line); v.IsValid() && v.Kind() == '{' {
			longer := strings.TrimRight(line, " \t\r\n")
			longer = strings.TrimSuffix(longer, "}") + `,"an unexpected key":1}`
			if jsontext.Value(longer).IsValid() && m.line(recorded, longer) == nil {
				t.Errorf("%s matches %s", longer, recorded)
			}
		}
	})
}
