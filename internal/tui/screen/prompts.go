package screen

import "slices"

// prompts are the earlier prompts of the workspace.
type prompts struct {
	texts []string // oldest first
	at    int      // how many back from the end the input shows; 0: none
	draft string   // the input before the first one was shown
}

// promptLimit is how many earlier prompts are remembered.
const promptLimit = 1000

// add remembers prompts.
func (p *prompts) add(texts ...string) {
	for _, t := range texts {
		if t != "" && (len(p.texts) == 0 || p.texts[len(p.texts)-1] != t) {
			p.texts = append(p.texts, t)
		}
	}
	p.texts = p.texts[max(0, len(p.texts)-promptLimit):]
	p.leave()
}

// addFirst remembers a prompt that is older than all others.
func (p *prompts) addFirst(text string) {
	if text != "" && len(p.texts) < promptLimit && !slices.Contains(p.texts, text) {
		p.texts = slices.Insert(p.texts, 0, text)
	}
}

// leave makes the input one of its own again.
func (p *prompts) leave() { p.at, p.draft = 0, "" }

// earlier shows the prompt before the one that the input shows.
func (in *input) earlier() {
	p := &in.prompts
	if p.at >= len(p.texts) {
		return
	}
	if p.at == 0 {
		p.draft = in.text()
	}
	p.at++
	in.set(p.texts[len(p.texts)-p.at])
}

// later shows the prompt after the one that the input shows, in the end what the user had begun.
func (in *input) later() {
	p := &in.prompts
	if p.at == 0 {
		return
	}
	p.at--
	if p.at == 0 {
		in.set(p.draft)
		p.leave()
		return
	}
	in.set(p.texts[len(p.texts)-p.at])
}
