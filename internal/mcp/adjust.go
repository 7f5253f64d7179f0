package mcp

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"fmt"
	"io"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// adjust returns a message with what the library refuses or drops replaced: blocks of a result
// that it cannot read become text, and tools that can only be called as tasks are left out. The
// library would fail the whole call, whose effects have happened. Requests for input are annotated:
// call is the call on whose stream the message came, or "". Everything else stays as it is.
func adjust(message []byte, call string) []byte {
	message = annotate(message, call)
	if !bytes.Contains(message, []byte(`"content"`)) && !bytes.Contains(message, []byte(`"taskSupport"`)) {
		return message
	}
	var fields, result map[string]jsontext.Value
	if json.Unmarshal(message, &fields) != nil || json.Unmarshal(fields["result"], &result) != nil {
		return message
	}
	changed := false
	for name, change := range map[string]func(jsontext.Value) (jsontext.Value, bool){"content": adjustBlock, "tools": leaveOutTasks} {
		var parts []jsontext.Value
		if json.Unmarshal(result[name], &parts) != nil {
			continue
		}
		partsChanged := false
		for i, part := range parts {
			var differs bool
			parts[i], differs = change(part)
			partsChanged = partsChanged || differs
		}
		if partsChanged {
			changed = true
			parts = slices.DeleteFunc(parts, func(v jsontext.Value) bool { return v == nil })
			result[name], _ = json.Marshal(parts)
		}
	}
	if !changed {
		return message
	}
	fields["result"], _ = json.Marshal(result)
	adjusted, err := json.Marshal(fields)
	if err != nil {
		return message
	}
	return adjusted
}

// adjustBlock returns a block of text in the place of one that the library cannot read.
func adjustBlock(block jsontext.Value) (jsontext.Value, bool) {
	var b struct {
		Type     string         `json:"type"`
		Text     string         `json:"text"`
		MIME     string         `json:"mimeType"`
		Data     string         `json:"data"`
		Resource jsontext.Value `json:"resource"`
	}
	var problem string
	if err := json.Unmarshal(block, &b); err != nil {
		problem = "[content that cannot be read: not shown]"
	} else {
		switch b.Type {
		case "text", "resource_link":
			return block, false
		case "image", "audio":
			if isBase64(b.Data) {
				return block, false
			}
			problem = fmt.Sprintf("[%s %s whose base64 is broken: not shown]", b.Type, b.MIME)
		case "resource":
			var r struct {
				URI  string `json:"uri"`
				Text string `json:"text"`
				Blob string `json:"blob"`
			}
			if json.Unmarshal(b.Resource, &r) == nil && isBase64(r.Blob) {
				return block, false
			}
			problem = fmt.Sprintf("[resource %s that cannot be read: not shown]", r.URI)
			b.Text = r.Text
		default:
			problem = fmt.Sprintf("[content of the unknown kind %q: not shown]", brief(plain(b.Type), maxLast))
		}
	}
	if b.Text != "" {
		problem += "\n" + b.Text
	}
	text, err := json.Marshal(struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}{"text", problem})
	return text, err == nil
}

func isBase64(text string) bool {
	_, err := base64.StdEncoding.DecodeString(text)
	return err == nil
}

// leaveOutTasks returns nil for a tool that must be called as a task, which Parley does not do.
func leaveOutTasks(t jsontext.Value) (jsontext.Value, bool) {
	var fields struct {
		Execution struct {
			TaskSupport string `json:"taskSupport"`
		} `json:"execution"`
	}
	if json.Unmarshal(t, &fields) == nil && fields.Execution.TaskSupport == "required" {
		return nil, true
	}
	return t, false
}

// An adjustedBody adjusts the messages of a response: a JSON value, or the data of events.
type adjustedBody struct {
	from   *bufio.Reader
	events bool
	call   string // whose stream it is; "": no call's
	rest   []byte // that was not read yet
	err    error
}

func newAdjustedBody(from io.Reader, events bool, call string) *adjustedBody {
	return &adjustedBody{call: call, from: bufio.NewReaderSize(from, 64<<10), events: events}
}

func (b *adjustedBody) Read(p []byte) (int, error) {
	for len(b.rest) == 0 {
		if b.err != nil {
			return 0, b.err
		}
		if b.events {
			b.rest, b.err = b.line()
		} else {
			b.rest, b.err = io.ReadAll(b.from)
			if b.err == nil {
				b.rest, b.err = adjust(b.rest, b.call), io.EOF
			}
		}
	}
	n := copy(p, b.rest)
	b.rest = b.rest[n:]
	return n, nil
}

// line returns the next line of a stream of events. A line that is too long is returned in
// parts, which the library counts.
func (b *adjustedBody) line() ([]byte, error) {
	var line []byte
	for {
		part, err := b.from.ReadSlice('\n')
		line = append(line, part...)
		if err == bufio.ErrBufferFull && len(line) <= maxLine {
			continue
		}
		if err == bufio.ErrBufferFull {
			return line, nil
		}
		if data, ok := bytes.CutPrefix(line, []byte("data:")); ok && err == nil {
			if adjusted := adjust(bytes.TrimSpace(data), b.call); !bytes.Equal(adjusted, bytes.TrimSpace(data)) {
				line = slices.Concat([]byte("data: "), adjusted, []byte("\n"))
			}
		}
		return line, err
	}
}
