package offline

import (
	"regexp"
	"strings"
)

// A rule answers the prompts that match its expression; groups are what that captured.
type rule struct {
	expr  func() *regexp.Regexp
	reply func(t turn, groups []string) reply
}

// rules is tried from the top; the first that matches answers.
var rules = []rule{
	{once(`(?is)\b(?:fix|repair)\b.*\b(?:tests?|bug|build)\b|\bmake\b.*\btests?\b.*\bpass\b|\btests?\b.*\b(?:fix|repair|mend)\b.*\bfails?\b`), turn.fixTest},
	{once(`(?is)^(?:replace|change)\s+(.+?)\s+(?:with|by|to)\s+(.+)\s+in\s+(?:the\s+)?(?:file\s+)?(\S+)$`), turn.replace},
	{once(`(?is)^(?:create|write|make|add)\s+(?:an?\s+|the\s+)?(?:new\s+)?(?:file\s+)?(?:called\s+|named\s+)?(\S+)\s+(?:with|containing|that says|saying)\b(?:\s+the)?(?:\s+(?:text|contents?)\b)?:?\s+(.+)$`), turn.create},
	{once("(?is)^(?:run|execute)\\s+(?:the\\s+)?(?:command\\s+)?`([^`]+)`|^[$!]\\s*(.+)$"), turn.command},
	{once(`(?i)^(?:run|execute)\s+(?:all\s+)?(?:the\s+)?(?:tests?|test suite|go test)[.!?]?$`), turn.test},
	{once(`(?is)^(?:run|execute)\s+(.+)$`), turn.unquoted},
	{once(`(?is)^(?:ls|list|dir)(?:\s+([^\s]*[/.][^\s]*))?$|^(?:list|show|find|which|what|count|how many|search)\b.*\b(?:files|file (?:named|called))\b(?:.*?\b(?:in|under|below)\s+(?:the\s+)?(?:folder\s+|directory\s+)?(\S+))?`), turn.list},
	{once(`(?is)^(?:find|search(?:\s+for)?|grep(?:\s+for)?|look\s+for|where\s+(?:is|are))\s+(.+?)(?:\s+in\s+(\S+))?$`), turn.search},
	{once(`(?is)^(?:explain|describe|summari[sz]e)\b(?:\s+(?:to\s+me|me))?\s*(?:the\s+|this\s+)?(?:file\s+)?(\S*)`), turn.explain},
	{once(`(?is)^(?:read|open|cat|show|print|display|view|look\s+at|what\s+is\s+in|what's\s+in)\s+(?:me\s+)?(?:the\s+)?(?:contents?\s+of\s+)?(?:the\s+)?(?:file\s+)?(\S+)$`), turn.show},
	{once(`(?i)^(?:hi|hello|hallo|hey|help|thanks|thank you|who are you|what can you do|what are you|good (?:morning|day|evening))\b`), turn.hello},
}

// abilities is what the demo says it can do.
const abilities = `I understand: "list the go files", "list files in X", "read X", "explain X", "find TODO", "search for X in Y", ` +
	"\"run `cmd`\", \"run the tests\", \"create X with …\", \"replace A with B in X\" and \"fix the failing test\". " +
	"Set PARLEY_MODEL and a provider's key to talk to a real model."

// politeness opens prompts without meaning anything for a rule.
var politeness = once(`(?i)^(?:please,?\s+|(?:can|could|would|will)\s+you\s+)+`)

// reply answers the turn so far by the first rule that matches its prompt.
func (t turn) reply() reply {
	prompt := t.prompt[len(politeness().FindString(t.prompt)):]
	for _, r := range rules {
		if groups := r.expr().FindStringSubmatch(prompt); groups != nil {
			return r.reply(t, groups)
		}
	}
	return say("I have no rule for this prompt. %s", abilities)
}

func (t turn) hello([]string) reply { return say("Hello! %s", abilities) }

// word returns a captured word without the quotes users put around names.
func word(s string) string {
	s = strings.TrimSpace(s)
	for _, pair := range []string{"``", `""`, "''", "“”", "‘’"} {
		opening, closing := []rune(pair)[0], []rune(pair)[1]
		if inner, ok := strings.CutPrefix(s, string(opening)); ok {
			if inner, ok = strings.CutSuffix(inner, string(closing)); ok {
				return inner
			}
		}
	}
	return s
}

// tidy returns a captured name without quotes and without the mark that ends a sentence.
func tidy(s string) string {
	s = strings.TrimRight(word(s), "?!,")
	if bare, ok := strings.CutSuffix(s, "."); ok && bare != "" && !strings.HasSuffix(bare, ".") && !strings.HasSuffix(bare, "/") {
		s = bare
	}
	return word(s)
}
