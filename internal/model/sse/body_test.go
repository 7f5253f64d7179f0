package sse

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"testing"
	"testing/iotest"

	"github.com/go-json-experiment/json"
	"pgregory.net/rapid"

	"parley.dev/parley/internal/model"
)

// raw is a parameter that is JSON already; "" cannot be encoded.
type raw string

func (r raw) MarshalJSON() ([]byte, error) {
	if r == "" {
		return nil, errors.New("cannot be encoded")
	}
	return []byte(r), nil
}

// sent is what Send sends, and what it sends again: both have the length that it tells.
func sent(t *testing.T, b *Body) string {
	t.Helper()
	var first, again []byte
	_, err := b.Send(&http.Request{}, func(r *http.Request) (_ *http.Response, err error) {
		if first, err = io.ReadAll(r.Body); err != nil {
			t.Fatal(err)
		}
		retry, err := r.GetBody()
		if err != nil {
			t.Fatal(err)
		}
		if again, err = io.ReadAll(iotest.OneByteReader(retry)); err != nil {
			t.Fatal(err)
		}
		if n := r.ContentLength; n != int64(len(first)) || string(first) != string(again) {
			t.Errorf("%d bytes are told, %d sent, %d again: %.100s, %.100s", n, len(first), len(again), first, again)
		}
		return nil, errors.New("nobody is there")
	})
	if err == nil {
		t.Error("what happened on the way is not told")
	}
	return string(first)
}

// fixedBody is a Body of fixed parameters.
func fixedBody(kept *Tools, params string, specs []model.ToolSpec, encode func([]model.ToolSpec) []raw) (*Body, error) {
	return NewBody(kept, &model.Request{Tools: specs}, func(*model.Request) raw { return raw(params) }, encode)
}

func TestBody(t *testing.T) {
	var kept Tools
	encoded := 0
	encode := func(specs []model.ToolSpec) (all []raw) {
		encoded++
		for _, s := range specs {
			data, err := json.Marshal(s.Name + s.Description)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, raw(data))
		}
		return all
	}
	spec := func(name string) model.ToolSpec {
		return model.ToolSpec{Name: name, Description: "!", Schema: []byte(`{"type":"object"}`)}
	}
	for _, test := range []struct {
		name    string
		specs   []model.ToolSpec
		want    string
		encodes int // so far
	}{
		{"no tools", nil, `{"stream":true,"model":"m"}`, 0},
		{"two", []model.ToolSpec{spec("a"), spec("b")}, `{"stream":true,"model":"m","tools":["a!","b!"]}`, 1},
		{"the same, elsewhere in memory", []model.ToolSpec{spec("a"), spec("b")}, `{"stream":true,"model":"m","tools":["a!","b!"]}`, 1},
		{"one less", []model.ToolSpec{spec("a")}, `{"stream":true,"model":"m","tools":["a!"]}`, 2},
		{"otherwise described", []model.ToolSpec{{Name: "a", Description: "?", Schema: spec("a").Schema}}, `{"stream":true,"model":"m","tools":["a?"]}`, 3},
		{"with another input", []model.ToolSpec{{Name: "a", Description: "?", Schema: []byte(`{}`)}}, `{"stream":true,"model":"m","tools":["a?"]}`, 4},
		{"as at first", []model.ToolSpec{spec("a"), spec("b")}, `{"stream":true,"model":"m","tools":["a!","b!"]}`, 4},
	} {
		b, err := fixedBody(&kept, `{"model":"m"}`, test.specs, encode)
		if err != nil {
			t.Fatal(err)
		}
		if got := sent(t, b); got != test.want || encoded != test.encodes {
			t.Errorf("%s: %s, encoded %d times; want %s, %d", test.name, got, encoded, test.want, test.encodes)
		}
	}
	for i := range 2 * maxLists {
		if _, err := fixedBody(&kept, `{"a":1}`, []model.ToolSpec{spec(fmt.Sprint(i))}, encode); err != nil {
			t.Fatal(err)
		}
	}
	before := encoded
	if _, err := fixedBody(&kept, `{"a":1}`, []model.ToolSpec{spec(fmt.Sprint(maxLists))}, encode); err != nil || encoded != before {
		t.Errorf("the oldest that ought to be kept is not: %v", err)
	}
	if _, err := fixedBody(&kept, `{"a":1}`, []model.ToolSpec{spec("0")}, encode); err != nil || encoded != before+1 {
		t.Errorf("more lists are kept than %d: %v", maxLists, err)
	}
	for range 2 {
		if _, err := fixedBody(&kept, `{"a":1}`, []model.ToolSpec{spec("bad")}, func([]model.ToolSpec) []raw { return []raw{""} }); err == nil {
			t.Error("a tool that cannot be encoded is none")
		}
	}
	if _, err := fixedBody(&kept, "", nil, encode); err == nil {
		t.Error("parameters that cannot be encoded are")
	}
}

// TestBodyPictures: what is sent is what the parameters would have been with the pictures in them.
func TestBodyPictures(t *testing.T) {
	params := func(req *model.Request) raw {
		data, err := json.Marshal(req.Messages)
		if err != nil {
			t.Fatal(err)
		}
		return raw(`{"messages":` + string(data) + `}`)
	}
	rapid.Check(t, func(t *rapid.T) {
		picture := rapid.Custom(func(t *rapid.T) model.Image {
			return model.Image{MIME: "image/png", Data: rapid.SliceOfN(rapid.Byte(), 0, 50).Draw(t, "data"), URL: rapid.SampledFrom([]string{"", "https://x"}).Draw(t, "url")}
		})
		block := rapid.Custom(func(t *rapid.T) model.Block {
			switch rapid.IntRange(0, 2).Draw(t, "kind") {
			case 0:
				return model.TextBlock(rapid.String().Draw(t, "text"))
			case 1:
				shown := picture.Draw(t, "picture")
				return model.Block{Kind: model.KindImage, Image: &shown}
			}
			return model.Block{Kind: model.KindToolResult, Result: &model.Result{CallID: "c", Images: rapid.SliceOfN(picture, 0, 3).Draw(t, "pictures")}}
		})
		message := rapid.Custom(func(t *rapid.T) model.Message {
			return model.Message{Role: model.User, Blocks: rapid.SliceOfN(block, 0, 4).Draw(t, "blocks")}
		})
		req := &model.Request{Messages: rapid.SliceOfN(message, 0, 4).Draw(t, "messages")}
		whole := string(params(req))
		b, err := NewBody(&Tools{}, req, params, func([]model.ToolSpec) []raw { return nil })
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(b.reader())
		if want := `{"stream":true,` + whole[1:]; err != nil || string(got) != want || b.size != int64(len(want)) {
			t.Fatalf("%d bytes %s, %v\nwant %s", b.size, got, err, want)
		}
		if string(params(req)) != whole {
			t.Fatal("the request was changed")
		}
	})
}
