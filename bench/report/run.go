package report

import (
	"maps"
	"math"
	"slices"
	"time"
)

// Floor is the program that others are compared with.
const Floor = "floor"

// A Run is all that was measured at one time on one machine.
type Run struct {
	Head     Head                         `json:"head"`
	Programs []Program                    `json:"programs"` // as they were measured, the floor first
	Samples  map[string]map[string]Sample `json:"samples"`  // by figure, by program
}

// A Head says where and when a run was.
type Head struct {
	Machine  string    `json:"machine"`
	Cores    int       `json:"cores"`
	Kernel   string    `json:"kernel"`
	Go       string    `json:"go"`
	Revision string    `json:"revision"`
	Date     time.Time `json:"date"`
	Load     string    `json:"load"`   // of the machine when it began
	Sync     float64   `json:"sync_s"` // what the disk takes for one small record
	Rounds   int       `json:"rounds"`
	Wire     string    `json:"wire"`
	Quick    bool      `json:"quick"`
	Reduced  string    `json:"reduced,omitzero"` // what a quick run has less of
}

// A Program is what was measured.
type Program struct {
	Name    string `json:"name"`
	Command string `json:"command"`
	Ours    bool   `json:"ours"`
}

// Add keeps values of a figure.
func (r *Run) Add(figure, program string, values ...float64) {
	if r.Samples == nil {
		r.Samples = map[string]map[string]Sample{}
	}
	if r.Samples[figure] == nil {
		r.Samples[figure] = map[string]Sample{}
	}
	r.Samples[figure][program] = append(r.Samples[figure][program], values...)
}

// A Cell is one figure of one program.
type Cell struct {
	Figure  Figure
	Program Program
	Sample  Sample
	Budget  Budget
	Ratio   float64 // to the floor, or what the budget has in its place; NaN: that was not measured
	Used    float64 // of the budget
	Limited bool    // there is a budget, and it can be judged
}

// Met reports whether the budget holds.
func (c Cell) Met() bool { return c.Used <= 1 }

// Cells returns what was measured, in the order of figures and programs.
func (r *Run) Cells() (cells []Cell) {
	for _, f := range Figures() {
		floor := r.Samples[f.ID][Floor].Median()
		for _, p := range r.Programs {
			s, measured := r.Samples[f.ID][p.Name]
			if !measured {
				continue
			}
			c := Cell{Figure: f, Program: p, Sample: s, Budget: f.budget(p.Name)}
			base := floor
			if c.Budget.Beside != "" {
				base = r.Samples[c.Budget.Beside][p.Name].Median()
			}
			c.Ratio = s.Median() / base
			if p.Name != Floor && !math.IsNaN(s.Median()) {
				c.Used, c.Limited = c.Budget.Used(s.Median(), base)
			}
			cells = append(cells, c)
		}
	}
	return cells
}

// Unknown returns the figures that were measured and that no table knows.
func (r *Run) Unknown() []string {
	known := map[string]bool{}
	for _, f := range Figures() {
		known[f.ID] = true
	}
	return slices.DeleteFunc(slices.Sorted(maps.Keys(r.Samples)), func(id string) bool { return known[id] })
}
