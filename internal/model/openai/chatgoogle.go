package openai

import (
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/model/sse"
)

// This file contains what Gemini adds to the wire: thoughts between marks in the content, and
// signatures, which have to come back where they came (Gemini API, "Thought signatures",
// "OpenAI compatibility").

// googleSignature begins the Signature of an empty thinking block that holds a signature of Gemini.
// Without more before the signature it belongs to the next call; with "#2:" to the third call,
// with "#:" to the whole message.
const googleSignature = "google:"

// The marks around thoughts. The first stands in a delta that is marked as a thought, the second
// at the beginning of the next one.
const (
	thoughtBegin = "<thought>"
	thoughtEnd   = "</thought>"
)

// googleExtra is the extra_content of a delta or of a call.
type googleExtra struct {
	Google struct {
		Thought          bool   `json:"thought"` // the content is one
		ThoughtSignature string `json:"thought_signature"`
	} `json:"google"`
}

// googleContent takes content that is marked as a thought, or comes after one.
func (c *chatAnswer) googleContent(content jsontext.Value, marked bool, to *sse.Answer) error {
	text, _ := jsontext.AppendUnquote(nil, content) // half a rune becomes a replacement character
	thought, said := "", string(text)
	switch {
	case marked:
		if c.kind != model.ThinkingDelta {
			said = strings.TrimPrefix(said, thoughtBegin)
		}
		thought, said, c.marked = said, "", true
		if before, after, ended := strings.Cut(thought, thoughtEnd); ended {
			thought, said, c.marked = before, after, false
		}
	default:
		said, c.marked = strings.TrimPrefix(said, thoughtEnd), false
	}
	if err := c.think(quoted(thought), "", to); err != nil {
		return err
	}
	return c.say(quoted(said), to)
}

func quoted(text string) jsontext.Value {
	q, err := jsontext.AppendQuote(nil, strings.ToValidUTF8(text, "\uFFFD"))
	if err != nil {
		return nil
	}
	return q
}

// googleSign keeps a signature that did not come with the beginning of a call: it is the one of call
// n, or, with n < 0, of the first call that lacks one, or of the message.
func (c *chatAnswer) googleSign(n int, signature string, to *sse.Answer) {
	for i := 0; n < 0 && i < len(c.calls); i++ {
		if !c.calls[i].signed {
			n = i
		}
	}
	switch {
	case signature == "" || n >= 0 && c.calls[n].signed:
		return
	case n >= 0:
		c.calls[n].signed = true
		to.Sign(to.Open(), googleSignature+"#"+strconv.Itoa(n)+":"+signature)
	default:
		to.Sign(to.Open(), googleSignature+"#:"+signature)
	}
}

// signatures are those of Gemini in an answer: by call, and, at -1, of the whole message.
func signatures(m model.Message) map[int]string {
	found, call := map[int]string{}, 0
	for _, b := range m.Blocks {
		signature, ok := strings.CutPrefix(b.Signature, googleSignature)
		switch {
		case b.Kind == model.KindToolCall:
			call++
		case b.Kind != model.KindThinking || !ok:
		case !strings.HasPrefix(signature, "#"):
			found[call] = signature
		default:
			place, signature, _ := strings.Cut(signature[1:], ":")
			n, err := strconv.Atoi(place)
			if err != nil {
				n = -1
			}
			found[n] = signature
		}
	}
	return found
}

// googleSigned returns the member that a signature goes back in; nil: there is no signature.
func googleSigned(signature string) *chatExtraContent {
	if signature == "" {
		return nil
	}
	return &chatExtraContent{Google: chatThoughtSignature{ThoughtSignature: signature}}
}
