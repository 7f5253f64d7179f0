package session

import "parley.dev/parley/internal/model"

// Tokens are what the provider counted; where it has not, bytes/4.
const (
	BytesPerToken = 4
	imageBytes    = 1500 * BytesPerToken // an image counts as 1,500 tokens
)

// ContextTokens returns the size of the next request: measured up to the last answer and
// estimated after it, or all estimated while no provider has counted.
func (f *Fold) ContextTokens(fixed int) int {
	if f.Measured > 0 {
		return f.Measured + f.BytesSince/BytesPerToken
	}
	return (fixed + f.Bytes) / BytesPerToken
}

// TokensOf returns how many tokens a context of so many bytes has, by the measure of ContextTokens for
// the one that there is: servers count in ways of their own, and some leave out what is cached.
func (f *Fold) TokensOf(fixed, bytes int) int {
	if now := fixed + f.Bytes; f.Measured > 0 && now > 0 {
		return int(int64(f.ContextTokens(fixed)) * int64(bytes) / int64(now))
	}
	return bytes / BytesPerToken
}

func MessageBytes(m model.Message) int {
	n := 0
	for _, b := range m.Blocks {
		n += len(b.Text)
		switch b.Kind {
		case model.KindImage:
			n += imageBytes
		case model.KindToolCall:
			n += len(b.Call.Name) + len(b.Call.Input)
		case model.KindToolResult:
			n += ResultBytes(*b.Result)
		}
	}
	return n
}

func ResultBytes(r model.Result) int { return len(r.Text) + imageBytes*len(r.Images) }
