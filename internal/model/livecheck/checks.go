package livecheck

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/model"
)

const system = "You answer briefly and follow the instructions exactly."

func user(text string) []model.Message { return []model.Message{model.UserText(text)} }

// text requests one word.
func (k *checker) text() {
	r := k.call(&model.Request{System: system, Messages: user("Reply with the single word: parley")})
	switch {
	case r == nil:
	case strings.TrimSpace(r.Message.Text()) != "":
		k.Detail = "an answer was streamed"
		k.estimated()
	case r.Stop == model.StopTokens:
		k.problem(Failed, "the limit of the answer was reached before any text", "raise max_output of the model in the configuration, or its window")
	default:
		k.problem(Failed, fmt.Sprintf("the answer has no text (stop: %s)", r.Stop), "check that the id is that of a chat model, and the chat template of the server")
	}
}

// estimated notes that the server counts no tokens.
func (k *checker) estimated() {
	if k.Usage.Estimated {
		k.problem(Limited, k.Detail+", without a count of its tokens", "costs and the size of the context are estimated; servers often need stream_options.include_usage")
	}
}

// code is what the tool of the check returns.
const code = "7413"

var lookup = model.ToolSpec{
	Name: "lookup_code", Description: "Returns the code that belongs to a name.",
	Schema: jsontext.Value(`{"type":"object","properties":{"name":{"type":"string","description":"The name."}},"required":["name"],"additionalProperties":false}`),
}

// tool has the model call a tool, and read its result.
func (k *checker) tool() {
	req := &model.Request{System: system, Tools: []model.ToolSpec{lookup}, Messages: user(`Call lookup_code with the name "parley", then tell me the code.`)}
	r := k.call(req)
	if r == nil {
		return
	}
	calls := r.Message.Calls()
	var input struct {
		Name string `json:"name"`
	}
	switch {
	case len(calls) == 0:
		k.problem(Failed, "the model answered without calling the tool", "use a model that calls tools; local servers need a template or a parser for them (llama.cpp: --jinja, vLLM: --enable-auto-tool-choice --tool-call-parser)")
		return
	case calls[0].Name != lookup.Name:
		k.problem(Failed, fmt.Sprintf("the model called %q, which is no tool", calls[0].Name), "use a model that calls tools reliably")
		return
	case json.Unmarshal(calls[0].Input, &input) != nil || input.Name == "":
		k.problem(Failed, "the input of the call does not fit the tool's schema", "use a model that calls tools reliably, or another template or parser of the server")
		return
	}
	answer := r.Message
	answer.Provider, answer.Model = k.o.Info.Provider, k.o.Info.ID
	req.Messages = append(req.Messages, answer)
	for _, c := range calls {
		result := &model.Result{CallID: c.ID, Text: "The code is " + code + "."}
		req.Messages = append(req.Messages, model.Message{Role: model.Tool, Blocks: []model.Block{{Kind: model.KindToolResult, Result: result}}})
	}
	if r = k.call(req); r == nil {
		k.Detail = "the call came, its result was refused: " + k.Detail
		return
	}
	if !strings.Contains(r.Message.Text(), code) {
		k.problem(Limited, "the model called the tool, and its answer lacks the result", "try it again; if it stays so, use another model")
		return
	}
	k.Detail = "the model called the tool and used its result"
}

// thinking requests reasoning at a low level.
func (k *checker) thinking() {
	level := k.o.Info.Level(model.Low)
	if len(k.o.Info.Thinking) == 0 {
		k.problem(Skipped, "the model takes no thinking level, as far as is known", "if it does, set the levels: providers.NAME.models.ID.thinking in the configuration")
		return
	}
	r := k.call(&model.Request{System: system, Thinking: level, Messages: user("Which is larger, 17 * 23 or 19 * 21? Think, then answer with the larger number.")})
	if r == nil {
		return
	}
	shown := 0
	for _, b := range r.Message.Blocks {
		if b.Kind == model.KindThinking {
			shown += len(b.Text)
		}
	}
	switch {
	case shown > 0:
		k.Detail = fmt.Sprintf("level %s is accepted, and reasoning is shown", level)
	case r.Usage.Thinking > 0:
		k.Detail = fmt.Sprintf("level %s is accepted; the model reasons and does not show it", level)
	default:
		k.Detail = fmt.Sprintf("level %s is accepted; nothing shows whether the model reasons", level)
	}
}

// pictureSide is the length of the picture's sides, in pixels: smaller ones are refused by some.
const pictureSide = 64

// picture shows a red square.
func (k *checker) picture() {
	if k.o.Info.Known && !k.o.Info.Images {
		k.problem(Skipped, "the model takes no pictures, as far as is known", "if it does, set it: providers.NAME.models.ID.images in the configuration")
		return
	}
	square := model.Block{Kind: model.KindImage, Image: &model.Image{MIME: "image/png", Data: redSquare()}}
	r := k.call(&model.Request{System: system, Messages: []model.Message{
		{Role: model.User, Blocks: []model.Block{model.TextBlock("Which colour has this square? Answer with one word."), square}},
	}})
	switch {
	case r == nil:
		if k.Err != nil && k.Err.Kind == model.Rejected {
			k.Fix = "set providers.NAME.models.ID.images to false in the configuration: a text is sent in place of pictures then"
		}
	case strings.Contains(strings.ToLower(r.Message.Text()), "red"):
		k.Detail = "the model saw the picture"
	default:
		k.problem(Limited, "the picture was accepted, and the model did not see what it shows", "set providers.NAME.models.ID.images to false in the configuration if the model takes none")
	}
}

func redSquare() []byte {
	square := image.NewPaletted(image.Rect(0, 0, pictureSide, pictureSide), color.Palette{color.RGBA{R: 220, G: 20, B: 20, A: 255}})
	var data bytes.Buffer
	_ = png.Encode(&data, square) // a buffer does not fail
	return data.Bytes()
}

// The prompt of the check of the cache, in lines and in tokens: longer than the shortest that any
// provider caches.
const (
	cacheLines  = 300
	cacheTokens = 6000
)

// cache requests two answers with the same long beginning.
func (k *checker) cache() {
	if k.o.Info.ContextWindow < 2*cacheTokens {
		k.problem(Skipped, "the context window is too small for it", "")
		return
	}
	var long strings.Builder
	long.WriteString(system + "\n")
	for i := range cacheLines {
		fmt.Fprintf(&long, "Record %d: the item with number %d lies on shelf %d in row %d.\n", i, i*37%1000, i*11%90, i%17)
	}
	req := &model.Request{System: long.String(), Tools: []model.ToolSpec{lookup}, Messages: user("Reply with the single word: parley")}
	r := k.call(req)
	if r == nil {
		return
	}
	req.Messages = append(req.Messages, r.Message, model.UserText("Once more, please."))
	if r = k.call(req); r == nil {
		return
	}
	switch {
	case r.Usage.CacheRead > 0:
		k.Detail = fmt.Sprintf("%d of %d tokens of the second request came from the cache", r.Usage.CacheRead, r.Usage.Context())
	case r.Usage.Estimated:
		k.problem(Limited, "the server reports no tokens, so that nothing shows whether it caches", "")
	default:
		k.problem(Limited, "no tokens of the second request came from the cache", "each step of a turn may cost the full price of its input; some providers cache only sometimes, so run the check again")
	}
}
