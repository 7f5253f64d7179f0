package draw

import "parley.dev/parley/internal/tui/conversation"

// Request returns an approval that waits in parts, for a screen that has its own choices: what asks, exactly what will run
// and what that would change, in which folder, and why it needs an approval. Nothing is cut.
func (d *Drawer) Request(item conversation.Item, width int) (head, body, folder, why []string) {
	r := item.Approval
	if r == nil {
		return nil, nil, nil, nil
	}
	width = max(width, 1)
	head = encode(d.requestTitle(r, width), width)
	body = encode(d.request(r, nil, width), width)
	return head, body, encode(d.folder(r, width), width), encode(d.block(span{}, d.why(r, inner(width))), width)
}
