package draw

import "parley.dev/parley/internal/tui/conversation"

// Request returns an approval that waits in parts, for a screen that has its own choices: what asks, exactly what will run
// and what that would change, and why it needs an approval. Nothing is cut.
func (d *Drawer) Request(item conversation.Item, width int) (head, body, why []string) {
	r := item.Approval
	if r == nil {
		return nil, nil, nil
	}
	width = max(width, 1)
	title := line{d.text(Strong, "Allow "), {text: oneLine(r.Request.Tool), style: d.palette[Strong]}, d.text(Strong, "?")}
	head = encode(d.block(d.warning("?"), wrap(title, inner(width))), width)
	body = encode(d.request(r, width), width)
	return head, body, encode(d.block(span{}, d.why(r, inner(width))), width)
}
