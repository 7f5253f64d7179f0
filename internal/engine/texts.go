package engine

import "parley.dev/parley/internal/session"

// A Text identifies a text for models or clients whose words a protocol may fix.
type Text uint8

// The texts. Without words of a protocol they are those in ownTexts, or made for the case.
const (
	TextDenied      Text = iota // a user denied a call, and gave no reason
	TextInterrupted             // a call was withdrawn before it ran
	TextClientGone              // no client can approve a call
	TextNoApprover              // no client that is connected can approve a call
	TextDeclined                // questions without an answer
	TextUnknownTool             // with one %s: the name of the tool
	TextUnfit                   // an input that does not fit its schema, with %[1]s its tool, %[2]s the problem, %[3]s the input
	TextSkipped                 // a call that the turn moved on before, or without
)

var ownTexts = map[Text]string{
	TextDenied:      "the user denied this call",
	TextInterrupted: "interrupted before it ran",
	TextClientGone:  "no client can approve this call",
	TextNoApprover: "this session requests an approval of such calls, and no connected client can give one: its permissions are changed with a client that can, " +
		"or with parley run --resume ID --permission-mode MODE",
	TextSkipped: session.NeverRan,
}

// text returns the words of the protocol for a text, or the program's own.
func (s *Session) text(t Text) string {
	if words := s.opts.Texts[t]; words != "" {
		return words
	}
	return ownTexts[t]
}
