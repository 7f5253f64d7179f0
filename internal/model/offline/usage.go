package offline

import "parley.dev/parley/internal/model"

// bytesPerToken is the rule of thumb of every estimate.
const bytesPerToken = 4

// estimate returns the usage of a request and its answer at bytes/4.
func estimate(req *model.Request, answer model.Message) model.Usage {
	in := len(req.System)
	for _, m := range req.Messages {
		in += size(m)
	}
	for _, t := range req.Tools {
		in += len(t.Name) + len(t.Description) + len(t.Schema)
	}
	return model.Usage{Input: tokens(in), Output: tokens(size(answer)), Estimated: true}
}

func tokens(bytes int) int { return (bytes + bytesPerToken - 1) / bytesPerToken }

// size returns the bytes of m that a model would read; images are left out.
func size(m model.Message) int {
	n := 0
	for _, b := range m.Blocks {
		n += len(b.Text)
		if b.Call != nil {
			n += len(b.Call.Name) + len(b.Call.Input)
		}
		if b.Result != nil {
			n += len(b.Result.Text)
		}
	}
	return n
}
