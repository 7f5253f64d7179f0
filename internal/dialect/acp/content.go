package acp

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"html"
	"net/http"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
)

// imageLimit is how large an image may be, in bytes.
const imageLimit = 20 << 20

// contentOf returns a prompt, which was checked, as models read it. A resource is a reference in its place. The text of an embedded
// one is a note after the prompt, so that the words of the user are all that titles and other clients show as such.
func contentOf(prompt []ContentBlock) (p engine.Prompt, err error) {
	var sent, embedded []*ContentBlock // see event.UserMessage
	var texts []model.Block
	for i, b := range prompt {
		var block model.Block
		var own *ContentBlock
		switch {
		case b.Type == "text" && *b.Text == "":
			continue
		case b.Type == "text":
			block = model.TextBlock(*b.Text)
		case b.Type == "image":
			if block, err = imageBlock(fmt.Sprintf("prompt[%d].data", i), *b.Data); err != nil {
				return p, err
			}
		case b.Type == "resource_link":
			block, own = model.TextBlock(model.Mention(*b.Name, *b.URI)), &b
		case b.Resource.Blob != nil:
			block = dataBlock(*b.Resource)
		default:
			r := b.Resource
			own = &ContentBlock{Type: "resource", Resource: &Resource{URI: r.URI, MIMEType: r.MIMEType}}
			block = model.TextBlock(model.Mention(nameOf(r.URI), r.URI))
			begin, end := contextTags(r.URI)
			texts, embedded = append(texts, model.TextBlock(begin+*r.Text+end)), append(embedded, own)
		}
		p.Blocks, sent = append(p.Blocks, block), append(sent, own)
	}
	if slices.ContainsFunc(sent, func(own *ContentBlock) bool { return own != nil }) {
		p.Sent = marshal(sent)
	}
	if texts != nil {
		p.Notes = []event.Note{{Blocks: texts, Sent: marshal(embedded)}}
	}
	return p, nil
}

// contextTags returns what is before and after an embedded text.
func contextTags(uri string) (begin, end string) {
	return "<context ref=\"" + html.EscapeString(uri) + "\">\n", "\n</context>"
}

// resourcesOf returns the resources that the blocks of a message are, without their texts; nil: a block is none, or the message is
// of another protocol.
func resourcesOf(e event.UserMessage) []*ContentBlock {
	var sent []*ContentBlock
	if e.Sent == nil || json.Unmarshal(e.Sent, &sent) != nil || len(sent) != len(e.Blocks) {
		return make([]*ContentBlock, len(e.Blocks))
	}
	for i, b := range sent {
		if b == nil || b.Type == "resource" && b.Resource != nil || b.Type == "resource_link" && b.Name != nil && b.URI != nil {
			continue
		}
		sent[i] = nil
	}
	return sent
}

// nameOf returns the last part of an address.
func nameOf(uri string) string {
	trimmed := strings.TrimRight(uri, "/")
	return trimmed[strings.LastIndexByte(trimmed, '/')+1:]
}

// imageBlock returns an image in base64.
func imageBlock(member, data string) (model.Block, error) {
	content, _ := base64.StdEncoding.DecodeString(data) // it was checked
	mime := imageType(content)
	if mime == "" || len(content) > imageLimit {
		return model.Block{}, invalidMember(member, "must be a png, jpeg, gif or webp image of at most 20 MiB")
	}
	return model.ImageBlock(model.Image{MIME: mime, Data: content}), nil
}

// dataBlock returns embedded data: an image as such, of anything else what it is.
func dataBlock(r Resource) model.Block {
	content, _ := base64.StdEncoding.DecodeString(*r.Blob) // it was checked
	if mime := imageType(content); mime != "" && len(content) <= imageLimit {
		return model.ImageBlock(model.Image{MIME: mime, Data: content, Name: r.URI})
	}
	mime := "application/octet-stream"
	if r.MIMEType != nil {
		mime = *r.MIMEType
	}
	return model.TextBlock(fmt.Sprintf("%s\n(%s, %d bytes, which are not shown)", model.Mention(nameOf(r.URI), r.URI), mime, len(content)))
}

// imageType returns the type of an image by its content; "" if models do not take it.
func imageType(data []byte) string {
	mime := http.DetectContentType(bytes.TrimSpace(data[:min(len(data), 512)]))
	if !slices.Contains(imageTypes, mime) {
		return ""
	}
	return mime
}

// hasImage reports whether blocks have an image.
func hasImage(blocks []model.Block) bool {
	return slices.ContainsFunc(blocks, func(b model.Block) bool { return b.Image != nil })
}
