package flint

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Shapes is how the items look in which the document and the first servers of this protocol
// differ: SeedShapes as the document says, SDKShapes as clients read them that were written
// for those servers.
type Shapes string

// The shapes.
const (
	SeedShapes Shapes = "seed"
	SDKShapes  Shapes = "sdk"
)

// item returns an item in these shapes.
func (s Shapes) item(value ThreadItem) ThreadItem {
	if s != SDKShapes {
		return value
	}
	switch value := value.(type) {
	case ReasoningItem:
		return ReasoningItemSDK{value.Type, value.ID, oneText(value.Summary), oneText(value.Content)}
	case FileChangeItem:
		return FileChangeItemSDK{value.Type, value.ID, changesSDK(value.Changes), value.Status}
	case McpToolCallItem:
		return McpToolCallItemSDK{
			value.Type, value.ID, value.Server, value.Tool, value.Arguments, value.Status, value.Result, errorSDK(value.Error), value.DurationMS,
		}
	case DynamicToolCallItem:
		return McpToolCallItemSDK{
			"mcpToolCall", value.ID, "builtin", value.Tool, value.Arguments, value.Status, contentSDK(value.ContentItems), errorSDK(value.Error), value.DurationMS,
		}
	}
	return value
}

func (s Shapes) question(q FileChangeRequestApproval) any {
	if s != SDKShapes {
		return q
	}
	return FileChangeRequestApprovalSDK{q.ThreadID, q.TurnID, q.ItemID, changesSDK(q.Changes), q.Reason}
}

// oneText returns a text as the list of one.
func oneText(text string) []string {
	if text == "" {
		return nil
	}
	return []string{text}
}

func changesSDK(changes []FileUpdateChange) []FileUpdateChangeSDK {
	kinds := map[string]string{ChangeAdd: "add", ChangeModify: "update", ChangeDelete: "delete"}
	wire := make([]FileUpdateChangeSDK, len(changes))
	for i, c := range changes {
		wire[i] = FileUpdateChangeSDK{c.Path, ChangeKindSDK{kinds[c.Kind], c.MovePath}, c.Diff}
	}
	return wire
}

func errorSDK(message string) *McpToolCallError {
	if message == "" {
		return nil
	}
	return &McpToolCallError{message}
}

func contentSDK(items []ContentItem) jsontext.Value {
	if items == nil {
		return nil
	}
	type content struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	var list []content
	for _, c := range items {
		list = append(list, content{"text", c.Text})
	}
	wire, _ := json.Marshal(struct { // of strings: cannot fail
		Content []content `json:"content"`
	}{list}, jsontext.AllowInvalidUTF8(true))
	return wire
}
