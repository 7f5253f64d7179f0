// Package offline has models that need no network and no key. [Load] and [Parse] parse a script
// that a [Player] plays, one answer for each model call; [Demo] is a small rule-based model that
// calls the tools of the request.
//
// A script is read line by line. Blank lines and lines that begin with # are ignored;
// every other line is a word and what belongs to it:
//
//	text Hello             a piece of text, as it stands, or a Go string in double quotes
//	think Let me see.      a piece of reasoning
//	repeat 20000 text "x " the same piece many times
//	call read {"path":"a"} a tool call; call@ID gives it an id, else the n-th call is call_<n>
//	usage in=1480 out=31   also cache_read= cache_write= thinking=; default: an estimate
//	stop end               or tools, max_tokens, refused; default: tools after a call, else end
//	fail overloaded status=502 code=BACKEND_ERROR after=2s The backend is down.
//	wait 50ms              latency
//	hang                   waits until the request is cancelled
//	expect REGEXP          the last message the model was sent must match, else the answer fails
//	when REGEXP            the answer is for a request whose last message matches; others skip it
//	next                   ends the answer
//
// An answer is the response to one model call. It ends at next, and by itself before the first
// line that cannot belong to it: after its calls only usage and stop can follow, after
// stop only usage, after fail or hang nothing. docs/offline-scripts.md has examples.
package offline
