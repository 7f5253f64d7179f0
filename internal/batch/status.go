package batch

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/go-json-experiment/json"
)

// A Report is the state of a batch in numbers. Its JSON form is a line of batch status.
type Report struct {
	Batch     string  `json:"batch"`
	Tasks     int     `json:"tasks"`
	Queued    int     `json:"queued"`
	Running   int     `json:"running"`
	Done      int     `json:"done"`
	Failed    int     `json:"failed"`
	NoBudget  int     `json:"budget"`
	TimedOut  int     `json:"timeout"`
	Cancelled int     `json:"cancelled"`
	Dead      int     `json:"dead"`
	Finished  bool    `json:"finished"`
	CostUSD   float64 `json:"cost_usd"`
	Usage     Usage   `json:"usage"`
	ETA       *int    `json:"eta_s"` // seconds; null: not known

	// Rate is how many tasks end in a second; 0: not known.
	Rate float64 `json:"-"`
}

// AllDone reports whether every task is done.
func (r Report) AllDone() bool { return r.Done == r.Tasks }

// Ended returns how many tasks are finished.
func (r Report) Ended() int { return r.Tasks - r.Queued - r.Running }

// A State is the fold of all logs of a batch.
type State struct {
	Definition Definition
	Created    time.Time
	Tasks      map[string]*TaskState
	Last       uint64 // number of the last entry

	cancels []numberedCancel
	counts  map[Status]int
	usage   Usage
	cost    float64
	ends    []time.Time // of the last results, the oldest first
}

type numberedCancel struct {
	cancellation
	number uint64
}

// rateWindow is how many ends of tasks the rate is computed from.
const rateWindow = 100

func newState() *State { return &State{Tasks: map[string]*TaskState{}, counts: map[Status]int{}} }

// Apply applies the next entry.
func (s *State) Apply(e Entry) (err error) {
	switch e.Log.Kind {
	case DefinitionLog:
		if s.Definition, err = parseDefinition(e); err == nil {
			s.Created = e.Time
		}
	case CancelLog:
		c := numberedCancel{number: e.Number}
		if err = json.Unmarshal(e.Data, &c.cancellation); err == nil {
			s.cancels = append(s.cancels, c)
		}
	case TaskLog:
		err = s.applyTask(e)
	}
	if err == nil {
		s.Last = e.Number
	}
	return err
}

func (s *State) applyTask(e Entry) error {
	t := s.Tasks[e.Log.Task]
	if t == nil {
		t = &TaskState{}
	}
	before := *t
	if err := t.Apply(e); err != nil {
		return err
	}
	if before.Number == 0 {
		s.Tasks[e.Log.Task] = t
	} else {
		s.counts[before.Status]--
	}
	s.counts[t.Status]++
	s.usage.Input += t.Usage.Input - before.Usage.Input
	s.usage.Output += t.Usage.Output - before.Usage.Output
	s.cost += t.CostUSD - before.CostUSD
	if t.Status.Final() && !before.Status.Final() {
		if s.ends = append(s.ends, t.Ended); len(s.ends) > rateWindow {
			s.ends = slices.Delete(s.ends, 0, 1)
		}
	}
	return nil
}

// Cancelled reports whether a cancellation is about the current round of a task.
func (s *State) Cancelled(t *TaskState) bool {
	return slices.ContainsFunc(s.cancels, func(c numberedCancel) bool { return c.number > t.Round && c.covers(t.ID) })
}

// Complete reports whether all tasks of the definition were submitted.
func (s *State) Complete() bool { return len(s.Tasks) == s.Definition.Tasks }

// Report returns the numbers at a time. A task that was not submitted yet counts as queued.
func (s *State) Report(now time.Time) Report {
	c := s.counts
	r := Report{
		Batch: s.Definition.Batch, Tasks: s.Definition.Tasks, Running: c[Running], Done: c[Done], Failed: c[Failed],
		NoBudget: c[NoBudget], TimedOut: c[TimedOut], Cancelled: c[Cancelled], Dead: c[Dead],
		CostUSD: roundCost(s.cost), Usage: s.usage,
	}
	ended := r.Done + r.Failed + r.NoBudget + r.TimedOut + r.Cancelled + r.Dead
	r.Queued = r.Tasks - r.Running - ended
	r.Finished = ended == r.Tasks
	if n := len(s.ends); n > 1 {
		if window := now.Sub(s.ends[0]); window > 0 {
			r.Rate = float64(n-1) / window.Seconds()
		}
	}
	switch left := r.Tasks - ended; {
	case left == 0:
		r.ETA = new(int)
	case r.Rate > 0:
		eta := int(math.Ceil(float64(left) / r.Rate))
		r.ETA = &eta
	}
	return r
}

// roundCost removes the rounding errors of additions.
func roundCost(cost float64) float64 { return math.Round(cost*1e9) / 1e9 }

// A TaskReport is the state of a task. Its JSON form is a line of batch status --tasks.
type TaskReport struct {
	Batch   string     `json:"batch"`
	Task    string     `json:"task"`
	Status  Status     `json:"status"`
	Attempt int        `json:"attempt"`
	Worker  string     `json:"worker"`
	Session string     `json:"session"`
	CostUSD float64    `json:"cost_usd"`
	Started *time.Time `json:"started"`
	Ended   *time.Time `json:"ended"`
	Error   *Failure   `json:"error"` // of the last attempt
}

// TaskReports returns the states of the tasks of a status, sorted by id; "": of all.
func (s *State) TaskReports(only Status) []TaskReport {
	var reports []TaskReport
	for _, id := range s.sorted() {
		t := s.Tasks[id]
		if only == "" || only == t.Status {
			reports = append(reports, s.taskReport(t))
		}
	}
	return reports
}

func (s *State) taskReport(t *TaskState) TaskReport {
	r := TaskReport{
		Batch: s.Definition.Batch, Task: t.ID, Status: t.Status, Attempt: t.Attempt, Worker: t.Worker, Session: t.Session, CostUSD: roundCost(t.CostUSD),
	}
	if !t.Started.IsZero() {
		r.Started = &t.Started
	}
	if !t.Ended.IsZero() {
		r.Ended = &t.Ended
	}
	switch {
	case t.Result != nil:
		r.Error = t.Result.Error
	case t.Cause != "":
		r.Error = &Failure{string(t.Cause), t.Message}
	}
	return r
}

func (s *State) sorted() []string {
	ids := make([]string, 0, len(s.Tasks))
	for id := range s.Tasks {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}

// ParseStatus returns the status of that name.
func ParseStatus(name string) (Status, error) {
	if s := Status(name); slices.Contains(Statuses, s) {
		return s, nil
	}
	return "", fmt.Errorf("state %q: want one of %v", name, Statuses)
}
