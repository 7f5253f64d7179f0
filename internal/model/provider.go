package model

import (
	"bytes"
	"context"
	"iter"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// A Provider speaks one wire to one endpoint.
type Provider interface {
	// Stream asks for one answer. It yields deltas in order and last, exactly once, a
	// Delta of kind Done. A failure is yielded once, as an *Error (or the cause of ctx),
	// and ends the sequence; deltas yielded before stay valid. Breaking out of the loop
	// or cancelling ctx ends the request. Providers never retry: the engine does.
	Stream(ctx context.Context, req *Request) iter.Seq2[Delta, error]
}

// A Lister is a Provider that can ask its endpoint which models it has.
type Lister interface {
	Models(ctx context.Context) ([]Info, error)
}

// A Request is everything that is sent to a model for one answer. Providers must not keep or change it.
type Request struct {
	Model     string // the provider's own id, without our provider prefix
	System    string
	Messages  []Message // every ToolCall is followed by exactly one ToolResult
	Tools     []ToolSpec
	MaxTokens int      // output cap; 0: the provider's default
	Thinking  Thinking // a level that the model has, or Off; "": the model's own default
	Reasons   bool     // the model has thinking levels: it may reason at its own default, too
	Tuning    Tuning
	Exact     bool   // it is sent as it is; without, one that is refused may be sent again without what was refused
	Session   string // stable id of the conversation, for prompt caches; may be ""

	// Ready is closed when the request may leave the process: when its content is on disk.
	// nil: it may at once. Providers prepare it meanwhile, and Await then.
	Ready <-chan struct{}
}

// Await returns when the request may leave the process, or with the cause of ctx.
func (r *Request) Await(ctx context.Context) error {
	if r.Ready == nil {
		return nil
	}
	select {
	case <-r.Ready:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Tuning is what only some wires know; a provider ignores what its wire has no word for.
type Tuning struct {
	ThinkingBudget int            // most tokens to think with at the highest level; lower levels take a share. 0: the provider's own
	Summary        string         // how reasoning is summarised: auto, concise, detailed or none; "": the provider's own
	Temperature    *float64       // nil: the model's own
	OutputSchema   jsontext.Value // JSON Schema of the answer's text, an object; nil: any text
}

// A ToolSpec offers one tool to the model.
type ToolSpec struct {
	Name        string
	Description string
	Schema      jsontext.Value // JSON Schema of the input, an object
}

// ToolSpecs are the tools of a request.
type ToolSpecs []ToolSpec

// Equal reports whether other contains the same tools in the same order.
func (s ToolSpecs) Equal(other ToolSpecs) bool {
	return slices.EqualFunc(s, other, func(a, b ToolSpec) bool {
		return a.Name == b.Name && a.Description == b.Description && bytes.Equal(a.Schema, b.Schema)
	})
}

// Clone returns a copy of the list.
func (s ToolSpecs) Clone() ToolSpecs { return slices.Clone(s) }

// DeltaKind determines which fields of a Delta are set.
type DeltaKind uint8

// The kinds of deltas.
const (
	TextDelta      DeltaKind = iota + 1 // Text
	ThinkingDelta                       // Text, Signature (each may be ""; a signature replaces), Summary
	ToolCallStart                       // CallID, Name
	ToolInputDelta                      // Text: a piece of the input's JSON
	Done                                // Response
	UsageDelta                          // Usage: what is counted before the answer begins
	NoticeDelta                         // Text: what the request lacks since the endpoint refused it, for users
)

// A Delta is a piece of an answer. Block numbers the answer's blocks from 0 in order. The deltas of a
// tool call come together; those of other blocks may interleave.
type Delta struct {
	Kind      DeltaKind
	Block     int
	Text      string // valid UTF-8, split only at rune boundaries
	Signature string
	Summary   bool // Text is of a summary of the reasoning, not of the reasoning; the same in all deltas of a block that have Text
	CallID    string
	Name      string
	Response  *Response
	Usage     *Usage
}

// A Response is a whole answer.
type Response struct {
	Message Message
	Stop    Stop
	Usage   Usage
	Cost    float64 // US dollars, as the provider reports it; 0: it does not
	Model   string  // as the provider reports it; may be ""
	// Moderated reports that moderation refused what the request asked for: with StopRefused, a request
	// that has the same messages is refused again.
	Moderated bool
}

// Stop is why the model stopped.
type Stop string

// The stops.
const (
	StopEnd      Stop = "end"           // it had said everything
	StopTools    Stop = "tools"         // it wants tools run
	StopTokens   Stop = "max_tokens"    // the output cap cut it
	StopSequence Stop = "stop_sequence" // it said a stop sequence
	StopRefused  Stop = "refused"       // a safety system cut it
)

// Usage counts tokens as the provider reports them. Input excludes both cache counts,
// so that the size of the request is Input + CacheRead + CacheWrite.
type Usage struct {
	Input      int  `json:"input"`
	Output     int  `json:"output"` // including Thinking
	CacheRead  int  `json:"cache_read,omitzero"`
	CacheWrite int  `json:"cache_write,omitzero"`
	Thinking   int  `json:"thinking,omitzero"`  // part of Output, where reported
	Estimated  bool `json:"estimated,omitzero"` // nothing was reported: bytes/4
}

// Context returns the tokens the request filled.
func (u Usage) Context() int { return u.Input + u.CacheRead + u.CacheWrite }

// Add returns the sum of both.
func (u Usage) Add(v Usage) Usage {
	return Usage{
		Input: u.Input + v.Input, Output: u.Output + v.Output,
		CacheRead: u.CacheRead + v.CacheRead, CacheWrite: u.CacheWrite + v.CacheWrite,
		Thinking: u.Thinking + v.Thinking, Estimated: u.Estimated || v.Estimated,
	}
}

// Info is what is known of a model.
type Info struct {
	ID            string     `json:"id"`       // the provider's own
	Provider      string     `json:"provider"` // our name of it
	Name          string     `json:"name"`
	API           string     `json:"api,omitzero"`   // the wire that it is requested by: chat, responses or anthropic; "": the provider's usual one
	ContextWindow int        `json:"context_window"` // tokens
	MaxOutput     int        `json:"max_output"`     // tokens; 0: unknown
	Price         Price      `json:"price"`
	Thinking      []Thinking `json:"thinking"` // levels it takes, besides Off; empty: it does not reason
	Images        bool       `json:"images"`
	Known         bool       `json:"known"` // false: an id outside the catalogue, with defaults
}

// Price is US dollars per million tokens.
type Price struct {
	Input      float64   `json:"input"`
	Output     float64   `json:"output"`
	CacheRead  float64   `json:"cache_read"`
	CacheWrite float64   `json:"cache_write"`
	Long       LongPrice `json:"long,omitzero"` // of requests with many tokens
}

// LongPrice is the price of all tokens of a request that has more than Above, and of its answer.
type LongPrice struct {
	Above      int     `json:"above"` // tokens of the request; 0: there is no such price
	Input      float64 `json:"input"`
	Output     float64 `json:"output"`
	CacheRead  float64 `json:"cache_read"`
	CacheWrite float64 `json:"cache_write"`
}

// Cost returns what u, of one request, costs, in US dollars.
func (p Price) Cost(u Usage) float64 {
	if long := p.Long; long.Above > 0 && u.Context() > long.Above {
		p = Price{Input: long.Input, Output: long.Output, CacheRead: long.CacheRead, CacheWrite: long.CacheWrite}
	}
	return (p.Input*float64(u.Input) + p.Output*float64(u.Output) +
		p.CacheRead*float64(u.CacheRead) + p.CacheWrite*float64(u.CacheWrite)) / 1e6
}
