package sse

import "parley.dev/parley/internal/model"

// bytesPerToken and imageTokens are what an estimate goes by.
const (
	bytesPerToken = 4
	imageTokens   = 1500
)

// estimate returns the usage of a server that reports none.
func estimate(req *model.Request, answer []block) model.Usage {
	bytes, images := len(req.System), 0
	for _, t := range req.Tools {
		bytes += len(t.Name) + len(t.Description) + len(t.Schema)
	}
	for _, m := range req.Messages {
		for _, b := range m.Blocks {
			bytes += len(b.Text)
			switch {
			case b.Image != nil:
				images++
			case b.Call != nil:
				bytes += len(b.Call.Name) + len(b.Call.Input)
			case b.Result != nil:
				bytes += len(b.Result.Text)
				images += len(b.Result.Images)
			}
		}
	}
	said := 0
	for _, b := range answer {
		said += b.size
	}
	return model.Usage{
		Input:     bytes/bytesPerToken + images*imageTokens,
		Output:    said / bytesPerToken,
		Estimated: true,
	}
}
