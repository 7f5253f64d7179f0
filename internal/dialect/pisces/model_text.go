package pisces

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/wire"
)

// modelBlocks is a message that is neither of the person nor of the model, nor a result, as
// the model sees it: as something that it is told.
func modelBlocks(m Message) []engine.Block {
	switch m := m.(type) {
	case FileMentionMessage:
		return mentionBlocks(m.Files)
	case CustomMessage:
		return blocksForModel(m.Content)
	case BranchSummaryMessage:
		return []engine.Block{engine.TextBlock(summaryText("The conversation came back from a branch, of which this is a summary:", m.Summary))}
	case UserMessage:
		return contentBlocks(m.Content)
	case RawMessage:
		return rawBlocks(m)
	}
	return []engine.Block{engine.TextBlock("")}
}

// contentBlocks is the content of a message of our own as the engine takes it.
func contentBlocks(content []Content) []engine.Block {
	var blocks []engine.Block
	for _, c := range content {
		switch c := c.(type) {
		case TextContent:
			blocks = append(blocks, engine.TextBlock(c.Text))
		case ImageContent:
			if img, err := c.decoded(); err == nil {
				blocks = append(blocks, engine.ImageBlock(img))
			}
		}
	}
	return blocks
}

func rawBlocks(m RawMessage) []engine.Block {
	members := parsed(m)
	switch m.Role {
	case RoleFileMention:
		return mentionBlocks(mentionedFiles(members.get("files")))
	case RoleBranchSummary, RoleCompactionSummary:
		return []engine.Block{engine.TextBlock(summaryText("This is a summary of a part of the conversation:", plainText(members.get("summary"))))}
	case "pythonExecution":
		return []engine.Block{engine.TextBlock(pythonText(members))}
	}
	return blocksForModel(members.get("content"))
}

func summaryText(intro, summary string) string {
	return intro + "\n\n<summary>\n" + summary + "\n</summary>"
}

// pythonText is a piece of Python that the person ran.
func pythonText(m *members) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Ran Python:\n```python\n%s\n```\n", plainText(m.get("code")))
	if output := plainText(m.get("output")); output != "" {
		fmt.Fprintf(&b, "Output:\n```\n%s\n```\n", output)
	} else {
		b.WriteString("(no output)\n")
	}
	switch exit := m.get("exitCode"); {
	case isTrue(m.get("cancelled")):
		b.WriteString("(cancelled)\n")
	case exit.Kind() == jsontext.KindNumber && number(exit) != 0:
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
			if img, err := f.Image.decoded(); err == nil {
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
	for _, f := range objectsOf(raw) {
		file := MentionedFile{
			Path: plainText(f.get("path")), Content: plainText(f.get("content")),
			LineCount: int(number(f.get("lineCount"))), ByteSize: int64(number(f.get("byteSize"))), SkippedReason: plainText(f.get("skippedReason")),
		}
		if blocks := blocksOf(append(append(jsontext.Value{'['}, f.get("image")...), ']')); len(blocks) == 1 && blocks[0].Data != "" {
			file.Image = &ImageContent{contentImage, blocks[0].Data, blocks[0].MIMEType}
		}
		files = append(files, file)
	}
	return files
}

// parsed is a message of a file, opened one level deep.
func parsed(m RawMessage) *members {
	obj, _ := wire.OpenObject(m.Value, manners) // it has no members if it is no object
	return membersOf(obj)
}

// blocksForModel is content as a model takes it: a text, or texts and pictures.
func blocksForModel(content jsontext.Value) []engine.Block {
	var blocks []engine.Block
	for _, b := range blocksOf(content) {
		switch b.Type {
		case contentText:
			blocks = append(blocks, engine.TextBlock(b.Text))
		case contentImage:
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
