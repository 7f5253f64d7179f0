package review

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
)

// A Result is what a model found.
type Result struct {
	Findings    []Finding `json:"findings"`
	Correctness string    `json:"overall_correctness"`
	Explanation string    `json:"overall_explanation"`
	Confidence  float64   `json:"overall_confidence_score"` // from 0 to 1
}

// A Finding is one defect.
type Finding struct {
	Title      string   `json:"title"`
	Body       string   `json:"body"`
	Confidence float64  `json:"confidence_score"` // from 0 to 1
	Priority   *int     `json:"priority"`         // from 0, the most urgent, to 3; nil: none was given
	Location   Location `json:"code_location"`
}

// A Location is some lines of a file.
type Location struct {
	Path  string `json:"absolute_file_path"`
	Lines struct {
		Start int `json:"start"`
		End   int `json:"end"`
	} `json:"line_range"`
}

// Parse returns the result in the answer of a model. Models write words around the object, or no object: then the explanation is the
// whole answer.
func Parse(answer string) Result {
	begin, end := strings.IndexByte(answer, '{'), strings.LastIndexByte(answer, '}')
	if begin >= 0 && begin < end {
		var r Result
		if json.Unmarshal([]byte(answer[begin:end+1]), &r) == nil && (r.Findings != nil || r.Explanation != "") {
			return r
		}
	}
	return Result{Explanation: strings.TrimSpace(answer)}
}

// Text returns the result for users and for the model of the next turn.
func (r Result) Text() string {
	var text strings.Builder
	text.WriteString(strings.TrimSpace(r.Explanation))
	for i, f := range r.Findings {
		if i == 0 {
			heading := "Review comment:"
			if len(r.Findings) > 1 {
				heading = "Full review comments:"
			}
			if text.Len() > 0 {
				text.WriteString("\n\n")
			}
			text.WriteString(heading + "\n")
		}
		fmt.Fprintf(&text, "\n- %s — %s:%d-%d\n", f.Title, f.Location.Path, f.Location.Lines.Start, f.Location.Lines.End)
		for line := range strings.Lines(f.Body) {
			text.WriteString("  " + strings.TrimRight(line, "\r\n") + "\n")
		}
	}
	if text.Len() == 0 {
		return "The reviewer did not report anything."
	}
	return strings.TrimRight(text.String(), "\n")
}
