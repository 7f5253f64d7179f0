package engine

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/png"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/picture"
	"parley.dev/parley/internal/tool"
)

func pngOf(t testing.TB, width, height int) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := png.Encode(&out, image.NewGray(image.Rect(0, 0, width, height))); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// tooLarge returns data of no known format that is longer than any endpoint takes.
func tooLarge() []byte { return bytes.Repeat([]byte("x"), picture.MaxBytes+1) }

// anthropicPictures are the limits of Anthropic, with smaller numbers.
var anthropicPictures = picture.Limits{MaxBytes: picture.MaxBytes, MaxSide: 8000, Many: 2, ManySide: 1000, MaxNumber: 5}

// picturesIn describes the pictures of a request, and the notes in their places.
func picturesIn(req model.Request) (all []string) {
	size := func(img *model.Image) string {
		config, format, err := image.DecodeConfig(bytes.NewReader(img.Data))
		if err != nil {
			return fmt.Sprintf("%s %d bytes", img.MIME, len(img.Data))
		}
		return fmt.Sprintf("%s %s %dx%d", img.MIME, format, config.Width, config.Height)
	}
	for _, m := range req.Messages {
		for _, b := range m.Blocks {
			switch {
			case b.Kind == model.KindImage:
				all = append(all, size(b.Image))
			case b.Kind == model.KindText && strings.HasPrefix(b.Text, "["):
				all = append(all, b.Text)
			case b.Kind == model.KindToolResult:
				all = append(all, b.Result.Text)
				for i := range b.Result.Images {
					all = append(all, size(&b.Result.Images[i]))
				}
			}
		}
	}
	return all
}

func showing(images ...model.Image) Prompt { return Prompt{Text: "See.", Images: images} }

func prompted(t *testing.T, s *Session, p Prompt) []event.Record {
	t.Helper()
	records := follow(t, s)
	if _, err := s.Prompt(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	return untilEnd(t, records, nil)
}

// Pictures of prompts and of tools are sent as the endpoint takes them; the records have them as
// they were.
func TestPicturesFit(t *testing.T) {
	for _, test := range []struct {
		name   string
		limits picture.Limits
		info   model.Info
		images []model.Image
		want   []string
	}{
		{"small", anthropicPictures, model.Info{}, []model.Image{{MIME: "image/png", Data: pngOf(t, 40, 30)}}, []string{"image/png png 40x30"}},
		{"wrong type", anthropicPictures, model.Info{}, []model.Image{{MIME: "image/jpeg", Data: pngOf(t, 40, 30)}}, []string{"image/png png 40x30"}},
		{"wide", anthropicPictures, model.Info{}, []model.Image{{MIME: "image/png", Data: pngOf(t, 9000, 90)}}, []string{"image/png png 1568x16"}},
		{"wide, limits not known", picture.Limits{}, model.Info{}, []model.Image{{MIME: "image/png", Data: pngOf(t, 9000, 90)}}, []string{"image/png png 1568x16"}},
		{"unreadable", anthropicPictures, model.Info{}, []model.Image{{MIME: "image/png", Data: []byte("pixels")}}, []string{"image/png 6 bytes"}},
		{
			"unreadable and large", anthropicPictures,
			model.Info{},
			[]model.Image{{MIME: "image/png", Name: "a.png", Data: tooLarge()}},
			[]string{"[image a.png omitted: the image is damaged (image/png): image: unknown format]"},
		},
		{"unreadable and large, limits not known", picture.Limits{}, model.Info{}, []model.Image{{MIME: "image/png", Data: tooLarge()}}, []string{"image/png 5242881 bytes"}},
		{
			"many", anthropicPictures,
			model.Info{},
			[]model.Image{{MIME: "image/png", Data: pngOf(t, 1500, 15)}, {MIME: "image/png", Data: pngOf(t, 30, 30)}, {MIME: "image/png", Data: pngOf(t, 40, 40)}},
			[]string{"image/png png 1000x10", "image/png png 30x30", "image/png png 40x40"},
		},
		{
			"too many",
			picture.Limits{MaxNumber: 2},
			model.Info{},
			[]model.Image{{MIME: "image/png", Data: pngOf(t, 20, 20)}, {MIME: "image/png", Data: pngOf(t, 30, 30)}, {MIME: "image/png", Data: pngOf(t, 40, 40)}},
			[]string{"[image omitted: the provider takes at most 2 in a request]", "image/png png 30x30", "image/png png 40x40"},
		},
		{
			"model without images",
			picture.Limits{},
			model.Info{ID: "blind", Known: true, ContextWindow: 1000000},
			[]model.Image{{MIME: "image/png", Data: pngOf(t, 40, 30)}},
			[]string{"[image omitted: the model does not take images]"},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := newBench(t, nil, say("ok"), say("ok"))
			b.pictures, b.info = test.limits, test.info
			s := b.session(t, nil)
			records := prompted(t, s, showing(test.images...))
			if diff := cmp.Diff(test.want, picturesIn(b.requests()[0])); diff != "" {
				t.Error(diff)
			}
			for i, block := range find[event.UserMessage](records)[0].Blocks[1:] {
				if data, err := s.Log().Blob(block.Image.Blob); err != nil || !bytes.Equal(data, test.images[i].Data) {
					t.Errorf("picture %d of the record is not the prompt's: %v", i, err)
				}
			}
			prompted(t, s, Prompt{Text: "Again."})
			if diff := cmp.Diff(test.want, picturesIn(b.requests()[1])); diff != "" {
				t.Errorf("in the next request: %s", diff)
			}
		})
	}
}

func TestPicturesOfTools(t *testing.T) {
	shoot := fakeTool{"shoot", approval.Read, func(context.Context, tool.Hooks, string) tool.Result {
		return tool.Result{Text: "A page.", Images: []model.Image{{MIME: "image/png", Data: pngOf(t, 1280, 12000)}, {MIME: "image/png", Data: tooLarge()}}}
	}}
	b := newBench(t, []fakeTool{shoot}, call(toolCall("1", "shoot", `{}`)), say("ok"))
	b.pictures = anthropicPictures
	s := b.session(t, nil)
	turnOf(t, s, "Look.", nil)
	want := []string{"A page.\n[image omitted: the image is damaged (image/png): image: unknown format]", "image/png png 167x1568"}
	if diff := cmp.Diff(want, picturesIn(b.requests()[1])); diff != "" {
		t.Error(diff)
	}
}

// A picture that the endpoint refuses is not sent again: not in this turn, not in the next, not after a
// resume; another model gets it.
func TestRefusedPictures(t *testing.T) {
	refused := fail(&model.Error{Kind: model.Rejected, Status: 400, Message: "messages.0.content.1: Could not process image"})
	b := newBench(t, nil, refused, say("I see none."), say("ok"), say("ok"), say("ok"))
	s := b.session(t, nil)
	records := prompted(t, s, showing(model.Image{MIME: "image/png", Data: pngOf(t, 40, 30)}))
	if end := ended(t, records); end.Reason != event.TurnCompleted {
		t.Errorf("the turn ended %s", end.Reason)
	}
	if notices := find[event.Notice](records); len(notices) != 1 || notices[0].Code != NoticePicturesRefused || !strings.Contains(notices[0].Text, "Could not process") {
		t.Errorf("the notices are %+v", notices)
	}
	prompted(t, s, Prompt{Text: "Hello."})
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	resumed, err := b.host().Open(t.Context(), s.ID(), b.options())
	if err != nil {
		t.Fatal(err)
	}
	defer resumed.Close(context.Background())
	prompted(t, resumed, Prompt{Text: "Are you there?"})
	b.info = scriptInfo
	b.info.ID = "other"
	prompted(t, resumed, Prompt{Text: "And you?"})
	with, note := []string{"image/png png 40x30"}, []string{"[image omitted: the provider refused it]"}
	for i, req := range b.requests() {
		want := note
		if i == 0 || i == 4 {
			want = with
		}
		if got := picturesIn(req); !slices.Equal(got, want) {
			t.Errorf("request %d: %v, want %v", i, got, want)
		}
	}
}

// What has nothing to do with pictures fails as it did, and a picture is refused once.
func TestRefusalsOfOtherThings(t *testing.T) {
	for _, test := range []struct {
		prompt Prompt
		err    *model.Error
		sent   int
	}{
		{showing(model.Image{MIME: "image/png", Data: pngOf(t, 4, 3)}), &model.Error{Kind: model.Rejected, Status: 400, Message: "messages: roles must alternate"}, 1},
		{showing(model.Image{MIME: "image/png", Data: pngOf(t, 4, 3)}), &model.Error{Kind: model.Auth, Status: 403, Message: "no access to image models"}, 1},
		{showing(model.Image{MIME: "image/png", Data: pngOf(t, 4, 3)}), &model.Error{Kind: model.Rejected, Status: 400, Message: "unknown variant `image_url`, expected `text`"}, 2},
		{Prompt{Text: "Draw."}, &model.Error{Kind: model.Rejected, Status: 400, Message: "image exceeds 5 MB maximum"}, 1},
	} {
		b := newBench(t, nil, fail(test.err), fail(test.err), fail(test.err))
		s := b.session(t, nil)
		if end := ended(t, prompted(t, s, test.prompt)); end.Reason != event.TurnFailed {
			t.Errorf("%s: the turn ended %s", test.err.Message, end.Reason)
		}
		if got := len(b.requests()); got != test.sent {
			t.Errorf("%s: %d requests, want %d", test.err.Message, got, test.sent)
		}
	}
}
