// Package engine runs sessions: it takes prompts, calls models, runs tools, asks for
// approval, and journals all of it as facts. It knows no protocol. Verbs come in as methods
// of [Session]; everything that happens goes out as numbered records of [Log.Follow].
//
// A session has one lock. Only its holder may append records, and nothing else changes a
// session's state, so the state is always the fold of what was appended. A running turn has
// one goroutine of its own; the verbs never wait for it.
package engine
