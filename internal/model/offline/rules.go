package offline

import (
	"cmp"
	"regexp"
	"strings"

	"parley.dev/parley/internal/lazy"
)

// rules are the prompts that the demo understands. The first whose expression matches answers; groups
// are what that captured.
var rules = []struct {
	expr  *lazy.Regexp
	reply func(t turn, groups []string) reply
}{
	{&lazy.Regexp{Expr: `(?is)\b(?:fix|repair)\b.*\b(?:tests?|bug|build)\b|\bmake\b.*\btests?\b.*\bpass\b|\btests?\b.*\b(?:fix|repair)\b.*\bfails?\b`}, turn.fixTest},
	{&lazy.Regexp{Expr: `(?is)^(?:replace|change)\s+(.+?)\s+(?:with|by|to)\s+(.+)\s+in\s+(?:the\s+)?(?:file\s+)?(\S+)$`}, turn.replace},
	{&lazy.Regexp{Expr: `(?is)^(?:create|write|make|add)\s+(?:an?\s+|the\s+)?(?:new\s+)?(?:file\s+)?(?:called\s+|named\s+)?(\S+)\s+(?:with|containing|that says|saying)\b(?:\s+the)?(?:\s+(?:text|contents?)\b)?:?\s+(.+)$`}, turn.create},
	{&lazy.Regexp{Expr: "(?is)^(?:run|execute)\\s+(?:the\\s+)?(?:command\\s+)?`([^`]+)`"}, turn.run},
	{&lazy.Regexp{Expr: `(?i)^(?:run|execute)\s+(?:all\s+)?(?:the\s+)?(?:tests?|test suite|go test)[.!?]?$`}, turn.test},
	{&lazy.Regexp{Expr: `(?is)^(?:run|execute)\s+(.+)$`}, turn.unquoted},
	{&lazy.Regexp{Expr: `(?is)^(?:ls|list)(?:\s+([^\s]*[/.][^\s]*))?$|^(?:list|show|find|which|what|count|how many|search|explain|describe)\b.*?(?:\s(?:\.?(\w+)|([\w.]*\*[\w.*]*)))?\s(?:files|project)\b(?:.*?\b(?:in|under|below)\s+(?:the\s+)?(?:folder\s+|directory\s+)?(\S+))?`}, turn.list},
	{&lazy.Regexp{Expr: `(?is)^(?:find|search(?:\s+for)?|grep(?:\s+for)?|look\s+for|where\s+(?:is|are))\s+(?:all\s+|every\s+|the\s+)*(.+?)(?:\s+in\s+(\S+))?$`}, turn.search},
	{&lazy.Regexp{Expr: `(?is)^(?:read|open|cat|show|print|display|view|explain|look\s+at|what\s+is\s+in|what's\s+in)\s+(?:me\s+)?(?:the\s+)?(?:contents?\s+of\s+)?(?:the\s+)?(?:file\s+)?(\S+)$`}, turn.show},
	{&lazy.Regexp{Expr: `(?i)^(?:hi|hello|hallo|hey|help|thanks|thank you|who are you|what can you do|what are you|good (?:morning|day|evening))\b`}, turn.hello},
}

// abilities is what the demo says it can do.
const abilities = `I understand: "list the go files", "list files in X", "read X", "explain X", "find TODO", "search for X in Y", ` +
	"\"run `cmd`\", \"run the tests\", \"create X with …\", \"replace A with B in X\" and \"fix the failing test\". " +
	"Set PARLEY_MODEL and a provider's key to talk to a real model."

// politeness opens prompts without meaning anything for a rule.
var politeness = lazy.Regexp{Expr: `(?i)^(?:please,?\s+|(?:can|could|would|will)\s+you\s+)+`}

// reply answers the turn so far by the first rule that matches its prompt.
func (t turn) reply() reply {
	prompt := t.prompt[len(politeness.Get().FindString(t.prompt)):]
	for _, r := range rules {
		if groups := r.expr.Get().FindStringSubmatch(prompt); groups != nil {
			return r.reply(t, groups)
		}
	}
	return say("I have no rule for this prompt. %s", abilities)
}

// languages are the patterns of the kinds of files that prompts name.
var languages = lazy.Value[map[string]string]{New: func() map[string]string {
	return map[string]string{"go": "*.go", "python": "*.py", "rust": "*.rs", "markdown": "*.md", "test": "*_test.go"}
}}

func (t turn) list(groups []string) reply {
	pattern := cmp.Or(languages.Get()[strings.ToLower(groups[2])], groups[3], "*")
	return t.step(t.tools.find(pattern, cmp.Or(name(groups[1]+groups[4]), ".")))
}

func (t turn) search(groups []string) reply {
	return t.step(t.tools.grep(regexp.QuoteMeta(name(groups[1])), cmp.Or(name(groups[2]), ".")))
}

func (t turn) show(groups []string) reply { return t.step(t.tools.read(name(groups[1]))) }
func (t turn) run(groups []string) reply  { return t.step(t.tools.run(strings.TrimSpace(groups[1]))) }
func (t turn) test([]string) reply        { return t.step(t.tools.run(testCommand)) }
func (t turn) hello([]string) reply       { return say("Hello! %s", abilities) }

// unquoted answers a request to run words that may be a command or a description of one.
func (t turn) unquoted([]string) reply {
	return say("I run only a command in backquotes, such as run `go vet ./...`, and the tests. %s", abilities)
}

func (t turn) create(groups []string) reply {
	return t.step(t.tools.write(name(groups[1]), strings.TrimRight(literal(groups[2]), "\n")+"\n"))
}

// replace reads a file, then replaces a text wherever it stands in it.
func (t turn) replace(groups []string) reply {
	old, fresh, file := literal(groups[1]), literal(groups[2]), name(groups[3])
	switch {
	case len(t.results) == 0:
		return t.do(t.tools.read(file), "I read %s before I change it.", file)
	case t.results[0].IsError || len(t.results) > 1:
		return report(t.results[len(t.results)-1])
	}
	content := plain(t.results[0].Text)
	if old == "" || !strings.Contains(content, old) {
		return say("%s does not contain %q, so I changed nothing.", file, old)
	}
	return t.do(t.tools.edit(file, content, old, fresh), "%s contains %q; I replace it with %q.", file, old, fresh)
}

var inQuotes = lazy.Regexp{Expr: "(?s)^(?:`([^`]*)`|\"([^\"]*)\"|'([^']*)'|“([^”]*)”|‘([^’]*)’)$"}

// literal returns a captured text without the quotes around it.
func literal(s string) string {
	return inQuotes.Get().ReplaceAllString(strings.TrimSpace(s), "$1$2$3$4$5")
}

// name returns a captured name without the quotes around it and the mark that ends a sentence.
func name(s string) string {
	s = strings.TrimRight(literal(s), "?!,")
	if bare := strings.TrimSuffix(s, "."); bare != "" && !strings.HasSuffix(bare, ".") && !strings.HasSuffix(bare, "/") {
		s = bare
	}
	return literal(s)
}
