package message

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/dialect/pisces/rawjson"
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/wire"
)

// ModelBlocks is a message that is neither of the person nor of the model, nor a result, as
// the model sees it: as something that it is told.
func ModelBlocks(m Message) []engine.Block {
	switch m := m.(type) {
	case FileMention:
		return mentionBlocks(m.Files)
	case Custom:
		return BlocksForModel(m.Content)
	case BranchSummary:
		return []engine.Block{engine.TextBlock(SummaryText("The conversation came back from a branch, of which this is a summary:", m.Summary))}
	case User:
		return contentBlocks(m.Content)
	case Raw:
		return rawBlocks(m)
	}
	return []engine.Block{engine.TextBlock("")}
}

// contentBlocks is the content of a message of our own as the engine takes it.
func contentBlocks(content []Content) []engine.Block {
	var blocks []engine.Block
	for _, c := range content {
		switch c := c.(type) {
		case Text:
			blocks = append(blocks, engine.TextBlock(c.Text))
		case Image:
			if img, err := c.Decoded(); err == nil {
				blocks = append(blocks, engine.ImageBlock(img))
			}
		}
	}
	return blocks
}

func rawBlocks(m Raw) []engine.Block {
	members := Parsed(m)
	switch m.Role {
	case RoleFileMention:
		return mentionBlocks(mentionedFiles(members.Get("files")))
	case RoleBranchSummary, RoleCompactionSummary:
		return []engine.Block{engine.TextBlock(SummaryText("This is a summary of a part of the conversation:", rawjson.PlainText(members.Get("summary"))))}
	case "pythonExecution":
		return []engine.Block{engine.TextBlock(pythonText(members))}
	}
	return BlocksForModel(members.Get("content"))
}

func SummaryText(intro, summary string) string {
	return intro + "\n\n<summary>\n" + summary + "\n</summary>"
}

// pythonText is a piece of Python that the person ran.
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

// mentionBlocks is the files that a prompt mentioned.
func mentionBlocks(files []MentionedFile) []engine.Block {
	var b strings.Builder
	b.WriteString("<system-reminder>\nThe user's message mentions these files:\n")
	var images []engine.Block
	for _, f := range files {
		switch {
		case f.Image != nil:
			if img, err := f.Image.Decoded(); err == nil {
				img.Name = f.Path
				images = append(images, engine.ImageBlock(img))
			}
			fmt.Fprintf(&b, "<file path=%q>a picture</file>\n", f.Path)
		case f.SkippedReason != "":
			fmt.Fprintf(&b, "<file path=%q>left out, it is too large: %d bytes</file>\n", f.Path, f.ByteSize)
		default:
			fmt.Fprintf(&b, "<file path=%q>\n%s\n</file>\n", f.Path, strings.TrimSuffix(f.Content, "\n"))
		}
	}
	b.WriteString("</system-reminder>")
	return append([]engine.Block{engine.TextBlock(b.String())}, images...)
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

// Parsed is a message of a file, opened one level deep.
func Parsed(m Raw) *rawjson.Members {
	obj, _ := wire.OpenObject(m.Value, rawjson.Manners) // it has no members if it is no object
	return rawjson.MembersOf(obj)
}

// BlocksForModel is content as a model takes it: a text, or texts and pictures.
func BlocksForModel(content jsontext.Value) []engine.Block {
	var blocks []engine.Block
	for _, b := range RawBlocks(content) {
		switch b.Type {
		case TypeText:
			blocks = append(blocks, engine.TextBlock(b.Text))
		case TypeImage:
			data, err := base64.StdEncoding.DecodeString(b.Data)
			if err != nil || len(data) == 0 || !slices.Contains(imageTypes, b.MIMEType) {
				blocks = append(blocks, engine.TextBlock("[a picture that is not there any more]"))
				continue
			}
			blocks = append(blocks, engine.ImageBlock(engine.Image{MIME: b.MIMEType, Data: data}))
		}
	}
	if len(blocks) == 0 {
		blocks = []engine.Block{engine.TextBlock("")}
	}
	return blocks
}
