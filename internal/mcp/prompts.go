package mcp

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"parley.dev/parley/internal/tool"
)

// This file contains the prompts of servers: what users may choose by name.

// maxPrompts bounds the prompts of one server, and maxPromptText the text of one, in bytes.
const (
	maxPrompts    = 200
	maxPromptText = 64 << 10
)

// listPrompts requests the prompts of the server, if it has any, and stores them.
func (p *sharedServer) listPrompts(l *connection) {
	if !featuresOf(l).prompts {
		return
	}
	ctx, cancel := context.WithTimeout(l.ctx, DefaultStartLimit)
	defer cancel()
	var prompts []*sdk.Prompt
	for prompt, err := range l.session.Prompts(ctx, nil) {
		if err != nil {
			p.pool.options.Log.Debug("the prompts of a server could not be listed", "server", p.label(), "error", p.hide.error(err))
			return
		}
		if len(prompts) == maxPrompts {
			break
		}
		prompts = append(prompts, prompt)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.link == l {
		p.prompts = prompts
	}
}

// promptsChanged lists the prompts again, in the background.
func (p *sharedServer) promptsChanged(l *connection) {
	p.pool.workers.start(func() { p.listPrompts(l) })
}

func (p *sharedServer) listedPrompts() []*sdk.Prompt {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.prompts
}

// Prompts makes s a tool.Prompter.
func (s *source) Prompts() []tool.PromptInfo {
	var infos []tool.PromptInfo
	for _, u := range s.users {
		for _, p := range u.peer.listedPrompts() {
			info := tool.PromptInfo{
				Name: nameOf(u.name, p.Name), Description: brief(plain(u.peer.hide.content(cmp.Or(p.Description, p.Title))), maxMessage),
			}
			for _, a := range p.Arguments {
				info.Arguments = append(info.Arguments, tool.PromptArgument{Name: brief(plain(a.Name), maxLabel), Required: a.Required})
			}
			infos = append(infos, info)
		}
	}
	slices.SortFunc(infos, func(a, b tool.PromptInfo) int { return strings.Compare(a.Name, b.Name) })
	return infos
}

// Prompt makes s a tool.Prompter.
func (s *source) Prompt(ctx context.Context, name, args string) (text string, known bool, err error) {
	for _, u := range s.users {
		if !strings.HasPrefix(name, "mcp__"+safe(u.name)+"__") {
			continue
		}
		var got *sdk.GetPromptResult
		err := u.ask(ctx, tool.Hooks{}, "give the prompt", func(ctx context.Context, l *connection) error {
			var prompt *sdk.Prompt
			for p, err := range l.session.Prompts(ctx, nil) {
				if err != nil {
					return err
				}
				if nameOf(u.name, p.Name) == name {
					prompt = p
					break
				}
			}
			if prompt == nil {
				return nil
			}
			values, err := argumentsOf(prompt, args)
			if err != nil {
				return err
			}
			got, err = l.session.GetPrompt(ctx, &sdk.GetPromptParams{Name: prompt.Name, Arguments: values})
			return err
		})
		if err != nil {
			return "", true, err
		}
		if got != nil {
			return promptText(u, name, got), true, nil
		}
	}
	return "", false, nil
}

// promptText returns what a model reads of a prompt.
func promptText(u *user, name string, got *sdk.GetPromptResult) string {
	v := &view{}
	if u.peer.hasResources() {
		v.server = u.name
	}
	v.texts = append(v.texts, fmt.Sprintf("[The user chose /%s. The tool server %s has this text for it:]", name, plain(u.name)))
	for _, m := range got.Messages {
		if m == nil {
			continue
		}
		if m.Role == "assistant" {
			v.texts = append(v.texts, "[You said:]")
		}
		v.add(m.Content)
	}
	return clipMiddle(u.peer.hide.content(strings.ToValidUTF8(strings.Join(v.texts, "\n"), "\uFFFD")), maxPromptText)
}

// argumentsOf reads the arguments of a prompt: words in their order, or name=value. Words that
// are left over belong to the last one.
func argumentsOf(p *sdk.Prompt, args string) (map[string]string, error) {
	values := map[string]string{}
	var names []string
	for _, a := range p.Arguments {
		names = append(names, a.Name)
	}
	last := ""
	for _, word := range words(args) {
		if name, value, ok := strings.Cut(word, "="); ok && slices.Contains(names, name) {
			values[name], last = value, name
			continue
		}
		next := slices.IndexFunc(names, func(n string) bool { _, set := values[n]; return !set })
		switch {
		case next >= 0:
			last = names[next]
			values[last] = word
		case last != "":
			values[last] += " " + word
		default:
			return nil, fmt.Errorf("the prompt %s takes no arguments", p.Name)
		}
	}
	for _, a := range p.Arguments {
		if _, set := values[a.Name]; a.Required && !set {
			return nil, fmt.Errorf("the prompt %s needs the argument %s", p.Name, a.Name)
		}
	}
	return values, nil
}

// words splits a text at blanks that are not within quotes.
func words(text string) []string {
	var all []string
	var word strings.Builder
	begun, quote := false, rune(0)
	for _, r := range text {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(r)
		case r == '"' || r == '\'':
			begun, quote = true, r
		case r == ' ' || r == '\t' || r == '\n' || r == '\r':
			if begun {
				all = append(all, word.String())
			}
			word.Reset()
			begun = false
		default:
			begun = true
			word.WriteRune(r)
		}
	}
	if begun {
		all = append(all, word.String())
	}
	return all
}
