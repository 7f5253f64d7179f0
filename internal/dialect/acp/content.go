package acp

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"html"
	"net/http"
	"slices"
	"strings"

	"parley.dev/parley/internal/model"
)

// imageLimit is how large an image may be, in bytes.
const imageLimit = 20 << 20

// blocksOf returns a prompt, which was checked, as models read it: links as links, embedded texts after them.
func blocksOf(prompt []ContentBlock) ([]model.Block, error) {
	var blocks []model.Block
	for i, b := range prompt {
		switch {
		case b.Type == "text" && *b.Text == "":
		case b.Type == "text":
			blocks = append(blocks, model.TextBlock(*b.Text))
		case b.Type == "image":
			block, err := imageBlock(fmt.Sprintf("prompt[%d].data", i), *b.Data)
			if err != nil {
				return nil, err
			}
			blocks = append(blocks, block)
		case b.Type == "resource_link":
			blocks = append(blocks, model.TextBlock(link(*b.Name, *b.URI)))
		case b.Resource.Blob != nil:
			blocks = append(blocks, dataBlock(*b.Resource))
		default:
			r := b.Resource
			blocks = append(blocks, model.TextBlock(link(nameOf(r.URI), r.URI)+"\n"+
				"<context ref=\""+html.EscapeString(r.URI)+"\">\n"+*r.Text+"\n</context>"))
		}
	}
	return blocks, nil
}

// link returns a link as models read it.
func link(name, uri string) string { return "[@" + name + "](" + uri + ")" }

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
	return model.TextBlock(fmt.Sprintf("%s\n(%s, %d bytes, which are not shown)", link(nameOf(r.URI), r.URI), mime, len(content)))
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
