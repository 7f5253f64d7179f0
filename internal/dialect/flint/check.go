package flint

import (
	"fmt"
	"strings"
)

// This file contains what each method demands of its params beyond types and required members, as
// far as it can be checked without any state.

// threadsMost is the largest page of threads.
const threadsMost = 500

func checkInitialize(p *InitializeParams) error {
	if p.ClientInfo.Name == "" {
		return problem("clientInfo.name", "must not be empty")
	}
	return nil
}

func checkThreadStart(p *ThreadStartParams) error {
	p.settle(&p.Sandbox, &p.SystemPrompt, &p.SystemPromptAppend)
	p.Config.settle(&p.McpServers)
	return nil
}

func checkThreadResume(p *ThreadResumeParams) error {
	p.settle(&p.Sandbox, &p.SystemPrompt, &p.SystemPromptAppend)
	p.Config.settle(&p.McpServers)
	return checkThreadID(p.ThreadID)
}

// settle moves the aliases to the members they stand for.
func (a *ThreadAliases) settle(sandbox **SandboxPolicy, prompt, more *string) {
	if *sandbox == nil {
		*sandbox = a.SandboxPolicy
	}
	*prompt = firstText(*prompt, a.BaseInstructions)
	*more = firstText(*more, a.DeveloperInstructions)
	*a = ThreadAliases{}
}

// firstText returns the first of the texts that is not blank, trimmed.
func firstText(texts ...string) string {
	for _, text := range texts {
		if text = strings.TrimSpace(text); text != "" {
			return text
		}
	}
	return ""
}

func checkThreadList(p *ThreadListParams) error {
	if p.Limit != nil && (*p.Limit < 1 || *p.Limit > threadsMost) {
		return problem("limit", fmt.Sprintf("must be from 1 to %d", threadsMost))
	}
	return nil
}

func checkThreadArchive(p *ThreadArchiveParams) error { return checkThreadID(p.ThreadID) }

func checkTurnStart(p *TurnStartParams) error {
	if p.SandboxPolicy == nil {
		p.SandboxPolicy = p.Sandbox
	}
	p.Sandbox = nil
	if err := p.Input.check(); err != nil {
		return err
	}
	return checkThreadID(p.ThreadID)
}

func checkTurnInterrupt(p *TurnInterruptParams) error { return checkThreadID(p.ThreadID) }

func checkModelList(p *ModelListParams) error {
	if p.Limit != nil && *p.Limit < 1 {
		return problem("limit", "must be at least 1")
	}
	return nil
}

// checkThreadID keeps what no thread has as its id away from file names.
func checkThreadID(id string) error {
	if !isThreadID(id) {
		return threadNotFound(id)
	}
	return nil
}

func isThreadID(id string) bool {
	const most = 128
	for _, c := range id {
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '_' && c != '-' {
			return false
		}
	}
	return id != "" && len(id) <= most
}
