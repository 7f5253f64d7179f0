package mcp

import (
	"fmt"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/tool"
)

// Caps of results, in bytes.
const (
	maxImage = 20 << 20 // all images of a result
	maxReply = 8 << 20
)

// resultOf returns a server's result for models and clients, without the secrets that hide knows.
// Server is the name of the server if models can read its resources, or "".
func resultOf(from *sdk.CallToolResult, hide hider, server string) tool.Result {
	v := &view{room: maxImage, server: server}
	for _, content := range from.Content {
		v.add(content)
	}
	if len(from.Content) == 0 && from.StructuredContent != nil {
		if text, err := json.Marshal(from.StructuredContent, json.Deterministic(true)); err == nil {
			v.texts = append(v.texts, string(hide.json(text)))
		}
	}
	whole := hide.content(strings.ToValidUTF8(strings.Join(v.texts, "\n"), string(utf8.RuneError)))
	r := tool.Result{Text: clipMiddle(whole, tool.MaxText), IsError: from.IsError, Images: v.images}
	if len(whole) > tool.MaxText {
		r.Full = []byte(clipMiddle(whole, tool.MaxFull))
	}
	for i := range r.Images {
		r.Images[i].Name = hide.content(r.Images[i].Name)
	}
	r.Reply = hide.json(replyOf(from, r.Text))
	return r
}

// A view is a result as a model gets to see it.
type view struct {
	texts  []string
	images []model.Image
	room   int    // for more images, in bytes
	server string // whose resources models can read; ""
}

func (v *view) add(content sdk.Content) {
	switch c := content.(type) {
	case *sdk.TextContent:
		v.texts = append(v.texts, c.Text)
	case *sdk.ImageContent:
		v.addImage(c.Data, c.MIMEType, "")
	case *sdk.AudioContent:
		v.note("audio", c.MIMEType, "", len(c.Data))
	case *sdk.ResourceLink:
		v.texts = append(v.texts, v.link(c))
	case *sdk.EmbeddedResource:
		v.addResource(c.Resource)
	default:
		v.texts = append(v.texts, "[content of an unknown kind: not shown]")
	}
}

func (v *view) addResource(r *sdk.ResourceContents) {
	switch {
	case r == nil:
	case r.Blob == nil:
		v.texts = append(v.texts, r.Text)
	case strings.HasPrefix(r.MIMEType, "image/"):
		v.addImage(r.Blob, r.MIMEType, r.URI)
	default:
		v.note("resource", r.MIMEType, r.URI, len(r.Blob))
	}
}

// addImage shows an image if models can see it: what it is decides, not what it is called,
// since a provider refuses the whole request for the sake of one wrong name.
func (v *view) addImage(data []byte, claimed, uri string) {
	kind := http.DetectContentType(data)
	switch kind {
	case "image/png", "image/jpeg", "image/gif", "image/webp":
		if len(data) <= v.room {
			v.room -= len(data)
			v.images = append(v.images, model.Image{MIME: kind, Data: data, Name: plain(brief(uri, maxLast))})
			return
		}
	}
	v.note("image", claimed, uri, len(data))
}

// note stands for what models cannot be shown.
func (v *view) note(what, kind, uri string, size int) {
	text := "[" + what
	for _, more := range []string{kind, uri} {
		if more != "" {
			text += " " + plain(brief(more, maxLast))
		}
	}
	v.texts = append(v.texts, fmt.Sprintf("%s, %d bytes: not shown]", text, size))
}

// link returns the name of a resource, and how it is read.
func (v *view) link(l *sdk.ResourceLink) string {
	text := "[resource " + l.URI
	for _, more := range []string{l.Name, l.MIMEType, l.Description} {
		if more != "" {
			text += ", " + more
		}
	}
	if v.server != "" {
		text += fmt.Sprintf("; %s reads it from server %q", readResourceTool, v.server)
	}
	return plain(text) + "]"
}

// A reply is a result on its way to clients.
type reply struct {
	Content    []jsontext.Value `json:"content"`
	Structured any              `json:"structuredContent,omitzero"`
	IsError    bool             `json:"isError,omitzero"`
}

// replyOf returns the result as the server sent it, or one of text when it is too large.
func replyOf(from *sdk.CallToolResult, text string) jsontext.Value {
	r := reply{Content: []jsontext.Value{}, Structured: from.StructuredContent, IsError: from.IsError}
	for _, content := range from.Content {
		value, err := content.MarshalJSON()
		if err != nil {
			return textReply(from, text)
		}
		r.Content = append(r.Content, value)
	}
	value, err := json.Marshal(r, json.Deterministic(true))
	if err != nil || len(value) > maxReply {
		return textReply(from, text)
	}
	return value
}

func textReply(from *sdk.CallToolResult, text string) jsontext.Value {
	content, err := json.Marshal(struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}{"text", text})
	if err != nil {
		return nil
	}
	value, err := json.Marshal(reply{Content: []jsontext.Value{content}, IsError: from.IsError})
	if err != nil {
		return nil
	}
	return value
}

// clipMiddle returns text, or at most limit bytes of its beginning and end, cut at runes, with
// a note between them.
func clipMiddle(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	const noteRoom = 48
	head, tail := (limit-noteRoom)/2, len(text)-(limit-noteRoom)/2
	for !utf8.RuneStart(text[head]) {
		head--
	}
	for tail < len(text) && !utf8.RuneStart(text[tail]) {
		tail++
	}
	return fmt.Sprintf("%s\n[… %d bytes omitted …]\n%s", text[:head], tail-head, text[tail:])
}
