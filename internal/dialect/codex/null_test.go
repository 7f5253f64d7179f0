package codex

import "testing"

// TestNull has a row for each type whose zero value is null.
func TestNull(t *testing.T) {
	for want, value := range map[string]any{
		`[null,null,null]`:              []any{nullString(""), nullList[int](nil), nullMap[int](nil)},
		`["a\"b",[],{}]`:                []any{nullString(`a"b`), nullList[int]{}, nullMap[int]{}},
		`["x",[1,2],{"a":1}]`:           []any{nullString("x"), nullList[int]{1, 2}, nullMap[int]{"a": 1}},
		`[null,"none"]`:                 []any{Personality(""), PersonalityNone},
		`{"data":[],"nextCursor":null}`: ThreadLoadedListResponse{Data: []string{}},
	} {
		if got := string(marshal(value)); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
