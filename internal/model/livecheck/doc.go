// Package livecheck makes a few small calls to a model and reports what works: text, tools, thinking,
// pictures, and the cache of prompts.
//
// It requests answers of a [model.Provider] directly, once each: no session, no journal, no retries.
package livecheck
