package message

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/dialect/pisces/rawjson"
	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/wire"
)

// ModelBlocks returns a message that is neither of the user nor of the model, nor a result, as
// the model sees it: as a message to it.
func ModelBlocks(m Message) []model.Block {
	switch m := m.(type) {
	case FileMention:
		return mentionBlocks(m.Files)
	case Custom:
		return BlocksForModel(m.Content)
	case BranchSummary:
		return []model.Block{model.TextBlock(SummaryText("The conversation came back from a branch, of which this is a summary:", m.Summary))}
	case User:
		return contentBlocks(m.Content)
	case Raw:
		return rawBlocks(m)
	}
	return []model.Block{model.TextBlock("")}
}

// contentBlocks returns the content of a message of our own as the engine takes it.
func contentBlocks(content []Content) []model.Block {
	var blocks []model.Block
	for _, c := range content {
		switch c := c.(type) {
		case Text:
			blocks = append(blocks, model.TextBlock(c.Text))
		case Image:
			if img, err := c.Decoded(); err == nil {
				blocks = append(blocks, model.ImageBlock(img))
			}
		}
	}
	return blocks
}

func rawBlocks(m Raw) []model.Block {
	members := Parsed(m)
	switch m.Role {
	case RoleFileMention:
		return mentionBlocks(mentionedFiles(members.Get("files")))
	case RoleBranchSummary, RoleCompactionSummary:
		return []model.Block{model.TextBlock(SummaryText("This is a summary of a part of the conversation:", rawjson.PlainText(members.Get("summary"))))}
	case "pythonExecution":
		return []model.Block{model.TextBlock(pythonText(members))}
	}
	return BlocksForModel(members.Get("content"))
}

func SummaryText(intro, summary string) string {
	return intro + "\n\n<summary>\n" + summary + "\n</summary>"
}

// pythonText returns a piece of Python that the user ran.
func pythonText(m *rawjson.Members) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Ran Python:\n```python\n%s\n```\n", rawjson.PlainText(m.Get("code")))
	if output := rawjson.PlainText(m.Get("output")); output != "" {
		fmt.Fprintf(&b, "Output:\n```\n%s\n```\n", output)
	} else {
		b.WriteString("(no output)\n")
	}
	switch exit := m.Get("exitCode"); {
	case rawjson.IsTrue(m.Get("cancelled")):
		b.WriteString("(cancelled)\n")
	case exit.Kind() == jsontext.KindNumber && rawjson.Number(exit) != 0:
		fmt.Fprintf(&b, "Exit code %s\n", exit)
	}
	return b.String()
}

// mentionBlocks returns the files that a prompt mentioned.
func mentionBlocks(files []MentionedFile) []model.Block {
	var b strings.Builder
	b.WriteString("<system-reminder>\nThe user's message mentions these files:\n")
	var images []model.Block
	for _, f := range files {
		switch {
		case f.Image != nil:
			if img, err := f.Image.Decoded(); err == nil {
				img.Name = f.Path
				images = append(images, model.ImageBlock(img))
			}
			fmt.Fprintf(&b, "<file path=%q>a picture</file>\n", f.Path)
		case f.SkippedReason != "":
			fmt.Fprintf(&b, "<file path=%q>left out, it is too large: %d bytes</file>\n", f.Path, f.ByteSize)
		default:
			fmt.Fprintf(&b, "<file path=%q>\n%s\n</file>\n", f.Path, strings.TrimSuffix(f.Content, "\n"))
		}
	}
	b.WriteString("</system-reminder>")
	return append([]model.Block{model.TextBlock(b.String())}, images...)
}

// mentionedFiles reads the files of a message of another program.
func mentionedFiles(raw jsontext.Value) []MentionedFile {
	var files []MentionedFile
	for _, f := range rawjson.Objects(raw) {
		file := MentionedFile{
			Path: rawjson.PlainText(f.Get("path")), Content: rawjson.PlainText(f.Get("content")),
			LineCount: int(rawjson.Number(f.Get("lineCount"))), ByteSize: int64(rawjson.Number(f.Get("byteSize"))), SkippedReason: rawjson.PlainText(f.Get("skippedReason")),
		}
		if blocks := RawBlocks(append(append(jsontext.Value{'['}, f.Get("image")...), ']')); len(blocks) == 1 && blocks[0].Data != "" {
			file.Image = &Image{TypeImage, blocks[0].Data, blocks[0].MIMEType}
		}
		files = append(files, file)
	}
	return files
}

// Parsed returns a message of a file, opened one level deep.
func Parsed(m Raw) *rawjson.Members {
	obj, _ := wire.OpenObject(m.Value, rawjson.Options) // it has no members if it is no object
	return rawjson.MembersOf(obj)
}

// BlocksForModel returns content as a model takes it: a text, or texts and pictures.
func BlocksForModel(content jsontext.Value) []model.Block {
	var blocks []model.Block
	for _, b := range RawBlocks(content) {
		switch b.Type {
		case TypeText:
			blocks = append(blocks, model.TextBlock(b.Text))
		case TypeImage:
			data, err := base64.StdEncoding.DecodeString(b.Data)
			if err != nil || len(data) == 0 || !slices.Contains(imageTypes, b.MIMEType) {
				blocks = append(blocks, model.TextBlock("[a picture that is not there any more]"))
				continue
			}
			blocks = append(blocks, model.ImageBlock(model.Image{MIME: b.MIMEType, Data: data}))
		}
	}
	if len(blocks) == 0 {
		blocks = []model.Block{model.TextBlock("")}
	}
	return blocks
}
