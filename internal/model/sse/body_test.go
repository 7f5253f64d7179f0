package sse

import (
	"encoding/base64"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"
)

// TestPictures checks that a body with pictures is what it would be with strings in their place.
func TestPictures(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		type document[S any] struct {
			Text string         `json:"text"`
			All  []S            `json:"all"`
			Map  map[string]S   `json:"map"`
			One  *S             `json:"one,omitzero"`
			Raw  jsontext.Value `json:"raw"`
		}
		var with document[Picture]
		var want document[string]
		draw := func() (Picture, string) {
			p := Picture{Prefix: rapid.SampledFrom([]string{"", "data:image/png;base64,", "\"ü\n"}).Draw(t, "prefix"), Data: rapid.SliceOfN(rapid.Byte(), 0, 50).Draw(t, "data")}
			return p, p.Prefix + base64.StdEncoding.EncodeToString(p.Data)
		}
		with.Text = rapid.String().Draw(t, "text")
		want.Text, with.Raw, want.Raw = with.Text, jsontext.Value(`{"b":[1]}`), jsontext.Value(`{"b":[1]}`)
		with.Map, want.Map = map[string]Picture{}, map[string]string{}
		for range rapid.IntRange(0, 4).Draw(t, "pictures") {
			p, s := draw()
			with.All, want.All = append(with.All, p), append(want.All, s)
			key := rapid.StringMatching("[a-c]").Draw(t, "key")
			with.Map[key], want.Map[key] = p, s
			with.One, want.One = &p, &s
		}
		b, err := encode(with)
		if err != nil {
			t.Fatal(err)
		}
		var got, small strings.Builder
		if _, err := io.Copy(&got, b.reader()); err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(&small, iotest.OneByteReader(b.reader())); err != nil {
			t.Fatal(err)
		}
		expected, err := json.Marshal(want, requestOptions)
		if err != nil {
			t.Fatal(err)
		}
		if got.String() != string(expected) || small.String() != string(expected) || b.size != int64(len(expected)) {
			t.Fatalf("%d bytes %s\nwant %s", b.size, got.String(), expected)
		}
	})
}
