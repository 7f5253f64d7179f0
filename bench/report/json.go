package report

import (
	"fmt"
	"math"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// A result is a cell as JSON.
type result struct {
	Figure  string   `json:"figure"`
	Name    string   `json:"name"`
	Program string   `json:"program"`
	Unit    Unit     `json:"unit"`
	Median  float64  `json:"median"`
	P10     float64  `json:"p10"`
	P90     float64  `json:"p90"`
	Samples Sample   `json:"samples"`
	Ratio   *float64 `json:"ratio,omitempty"`  // to the floor
	Budget  string   `json:"budget,omitempty"` // for users
	Used    *float64 `json:"used,omitempty"`   // of the budget; more than 1: it is not met
	Met     *bool    `json:"met,omitempty"`
}

// JSON returns the run for programs: everything that was measured.
func (r *Run) JSON() ([]byte, error) {
	whole := struct {
		Head     Head      `json:"head"`
		Programs []Program `json:"programs"`
		Results  []result  `json:"results"`
	}{Head: r.Head, Programs: r.Programs}
	for _, c := range r.Cells() {
		res := result{
			Figure: c.Figure.ID, Name: c.Figure.Name, Program: c.Program.Name, Unit: c.Figure.Unit,
			Median: c.Sample.Median(), P10: c.Sample.At(0.1), P90: c.Sample.At(0.9), Samples: c.Sample,
		}
		if !math.IsNaN(c.Ratio) {
			res.Ratio = &c.Ratio
		}
		if c.Limited {
			met := c.Met()
			res.Budget, res.Used, res.Met = c.Budget.limit(c.Figure.Unit), &c.Used, &met
		}
		whole.Results = append(whole.Results, res)
	}
	text, err := json.Marshal(whole, jsontext.WithIndent("\t"))
	if err != nil {
		return nil, fmt.Errorf("write the figures: %w", err)
	}
	return append(text, '\n'), nil
}
