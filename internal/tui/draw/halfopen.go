package draw

import (
	"strings"

	"parley.dev/parley/internal/lazy"
)

// completed returns Markdown that still grows in a form that looks as it probably will when it is complete: what is open
// at its end is closed, and what could become something else is left out until it is known what it is. So the text does
// not jump between two forms while it arrives.
func completed(source string) string {
	if fence := openFence(source); fence != "" {
		start := strings.LastIndexByte(source, '\n') + 1
		if l := strings.TrimLeft(source[start:], " >"); l != "" && strings.Trim(l, fence[:1]) == "" && !strings.HasPrefix(fence, source[start:]+"\n") {
			return source[:start]
		}
		return source
	}
	start := strings.LastIndexByte(source, '\n') + 1
	if l := source[start:]; onlyMarks.Get().MatchString(l) {
		source = source[:start]
	} else if at := halfBox.Get().FindStringIndex(l); at != nil {
		source = source[:start+at[1]-len(strings.TrimLeft(l[at[0]:at[1]], " \t-*+"))]
	}
	paragraph := lastParagraph(source)
	if headOfTable(source[paragraph:]) {
		return source[:paragraph]
	}
	return source[:paragraph] + closed(source[paragraph:])
}

// onlyMarks matches a last line that may become a list, a heading, a line or a fence.
var onlyMarks = lazy.Regexp{Expr: "^[ \t>]*([-*+_=~`]{1,3}|#{1,6}|[0-9]{1,9}[.)]?)?[ \t]*$"}

// halfBox matches a last line that may become a task.
var halfBox = lazy.Regexp{Expr: `^[ \t>]*[-*+][ \t]+\[[ xX]?\]?$`}

// openFence returns the fence of the code block that is open at the end; "" if there is none.
func openFence(source string) string {
	fence := ""
	for l := range strings.Lines(source) {
		l = strings.TrimLeft(l, " \t>")
		if fence == "" {
			l = strings.TrimLeft(strings.TrimLeft(l, "-*+"), " \t") // a list may begin with a block
		}
		if !strings.HasPrefix(l, "```") && !strings.HasPrefix(l, "~~~") {
			continue
		}
		run := l[:len(l)-len(strings.TrimLeft(l, l[:1]))]
		rest := l[len(run):]
		switch {
		case fence == "":
			if run[0] == '~' || !strings.Contains(rest, "`") {
				fence = run
			}
		case run[0] == fence[0] && len(run) >= len(fence) && strings.TrimSpace(rest) == "" && strings.HasSuffix(l, "\n"):
			fence = ""
		}
	}
	return fence
}

// lastParagraph returns where the last paragraph begins: after an empty line, a heading or the mark of a list.
func lastParagraph(source string) int {
	end := len(source)
	for end > 0 {
		start := strings.LastIndexByte(source[:end], '\n') + 1
		l := strings.TrimSpace(source[start:end])
		switch {
		case l == "":
			return min(end+1, len(source))
		case listMark.Get().MatchString(source[start:end]), strings.HasPrefix(l, "#"), strings.HasPrefix(l, ">"):
			return start + len(listMark.Get().FindString(source[start:end]))
		}
		end = start - 1
	}
	return 0
}

var listMark = lazy.Regexp{Expr: `^[ \t>]*([-*+]|[0-9]{1,9}[.)])[ \t]+`}

// headOfTable reports whether a paragraph may become a table, and is none yet.
func headOfTable(paragraph string) bool {
	if !strings.HasPrefix(paragraph, "|") {
		return false
	}
	head, second, more := strings.Cut(paragraph, "\n")
	return !more || second == "" || !strings.Contains(second, "\n") && strings.Trim(second, "|-: \t") == "" && strings.Count(second, "-|")+strings.Count(second, ":|")+strings.Count(second, " |") < strings.Count(strings.Trim(head, "| "), "|")+1
}

// closed returns a paragraph with the emphasis, code and links closed that are open at its end.
func closed(paragraph string) string {
	var open []string
	link, target := -1, -1 // where the text of the last open link and its address begin
	i := 0
	for i < len(paragraph) {
		switch c := paragraph[i]; c {
		case '\\':
			i += 2
		case '`':
			run := runOf(paragraph[i:])
			end := closingRun(paragraph[i+len(run):], run)
			if end < 0 {
				if i+len(run) == len(paragraph) {
					return finish(paragraph[:i], open)
				}
				return finish(paragraph+run, open)
			}
			i += len(run) + end + len(run)
		case '*', '_', '~':
			run := runOf(paragraph[i:])
			if c == '~' && len(run) != 2 || len(run) > 3 {
				i += len(run)
				continue
			}
			before, after := byte(' '), byte(' ')
			if i > 0 {
				before = paragraph[i-1]
			}
			atEnd := i+len(run) == len(paragraph)
			if !atEnd {
				after = paragraph[i+len(run)]
			}
			switch n := len(open); {
			case n > 0 && open[n-1] == run && !isBlank(before):
				open = open[:n-1]
			case n > 1 && open[n-1]+open[n-2] == run && !isBlank(before):
				open = open[:n-2]
			case atEnd && n > 0 && strings.HasPrefix(open[n-1], run) && !isBlank(before):
				return finish(paragraph[:i], open)
			case atEnd:
				return finish(paragraph[:i], open)
			case isBlank(after) || c == '_' && isWord(before):
			case len(run) == 3:
				open = append(open, run[:1], run[:2])
			default:
				open = append(open, run)
			}
			i += len(run)
		case '[':
			link, target = i, -1
			i++
		case ']':
			switch {
			case link < 0:
			case i+1 < len(paragraph) && paragraph[i+1] == '(':
				target = i
			case i+1 == len(paragraph):
				target = i
			default:
				link = -1
			}
			i++
		case ')':
			if target >= 0 {
				link, target = -1, -1
			}
			i++
		default:
			i++
		}
	}
	const longest = 2000
	if link >= 0 && target >= 0 && len(paragraph)-target < longest {
		return finish(paragraph[:link]+paragraph[link+1:target], open)
	}
	return finish(paragraph, open)
}

// finish returns a text with the marks that close what is open.
func finish(text string, open []string) string {
	const most = 8
	if len(open) == 0 || len(open) > most {
		return text
	}
	text = strings.TrimRight(text, " \t\n")
	for i := len(open) - 1; i >= 0; i-- {
		if strings.HasSuffix(text, open[i]) { // nothing is between the marks
			text = strings.TrimRight(strings.TrimSuffix(text, open[i]), " \t\n")
		} else {
			text += open[i]
		}
	}
	return text
}

// runOf returns the same characters at the beginning of a text.
func runOf(text string) string {
	n := 1
	for n < len(text) && text[n] == text[0] {
		n++
	}
	return text[:n]
}

// closingRun returns where a run of exactly these backticks begins; -1 if there is none.
func closingRun(text, run string) int {
	for i := 0; i < len(text); {
		if text[i] != '`' {
			i++
			continue
		}
		r := runOf(text[i:])
		if r == run {
			return i
		}
		i += len(r)
	}
	return -1
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\n' }

func isWord(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || c >= 0x80
}
