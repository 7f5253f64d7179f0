package message

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/dialect/pisces/rawjson"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/wire"
)

// Our own names of the tools whose results have details of their own.
const (
	toolShell = "shell"
	toolRead  = "read"
	toolList  = "list"
	toolPlan  = "plan"
	toolTodo  = "todo"
	toolGrep  = "grep"
)

// noDetails is the details of a result that has none to show.
var noDetails = jsontext.Value("{}")

// The details of results, by their tools.
type (
	changeDetails struct {
		Diff             string `json:"diff"`
		FirstChangedLine int    `json:"firstChangedLine,omitzero"`
		Op               string `json:"op"` // create, update or delete; of the first file
	}

	sourceDetails struct {
		Meta struct {
			Source source `json:"source"`
		} `json:"meta"`
	}

	source struct {
		Type  string `json:"type"` // path
		Value string `json:"value"`
	}

	folderDetails struct {
		IsDirectory bool `json:"isDirectory"`
	}

	cutDetails struct {
		Meta struct {
			Truncation truncation `json:"truncation"`
		} `json:"meta"`
	}

	truncation struct {
		Direction   string `json:"direction"`   // middle
		TruncatedBy string `json:"truncatedBy"` // bytes
		TotalBytes  int64  `json:"totalBytes"`
		OutputBytes int    `json:"outputBytes"`
		OutputLines int    `json:"outputLines"`
		ArtifactID  string `json:"artifactId,omitzero"`
	}

	todoDetails struct {
		Phases  []todoPhase `json:"phases"`
		Storage string      `json:"storage"` // session
	}

	todoPhase struct {
		ID    string     `json:"id"`
		Name  string     `json:"name"`
		Tasks []todoTask `json:"tasks"`
	}

	todoTask struct {
		Todo
		Notes   string `json:"notes,omitzero"`
		Details string `json:"details,omitzero"`
	}

	grepDetails struct {
		ScopePath   string      `json:"scopePath"`
		MatchCount  int         `json:"matchCount"`
		FileCount   int         `json:"fileCount"`
		Files       []string    `json:"files"`
		FileMatches []fileMatch `json:"fileMatches"`
		Truncated   bool        `json:"truncated"`
	}

	fileMatch struct {
		Path  string `json:"path"`
		Count int    `json:"count"`
	}

	findDetails struct {
		ScopePath string   `json:"scopePath"`
		FileCount int      `json:"fileCount"`
		Files     []string `json:"files"`
		Truncated bool     `json:"truncated"`
	}

	searchDetails struct {
		Query   string            `json:"query"`
		Sources []event.SearchHit `json:"sources"`
	}

	fetchDetails struct {
		URL      string `json:"url"`
		Status   int    `json:"status"`
		MIMEType string `json:"mimeType"`
		Bytes    int64  `json:"bytes"`
	}
)

// Result returns what a call gave.
func (t *Fold) Result(call event.ToolIntended, e event.ToolEnded) Result {
	r := Result{Content: []Content{}, Details: t.details(call, e)}
	if text := resultText(call, e); text != "" || len(e.Images) == 0 {
		r.Content = append(r.Content, NewText(text))
	}
	for _, img := range e.Images {
		r.Content = append(r.Content, contentOfImage(img, t.With.Blob))
	}
	return r
}

// resultText returns the output in the words of this protocol: how a command failed stands where
// its clients look for it.
func resultText(call event.ToolIntended, e event.ToolEnded) string {
	if e.Outcome == event.Succeeded && call.Tool == "write" {
		return fmt.Sprintf("Successfully wrote %d bytes to %s", len(inputText(call.Input, "content")), inputText(call.Input, "path"))
	}
	if e.Shell == nil {
		if e.Outcome == event.Interrupted && e.Ran == 0 && e.Output == AbortedRunText {
			return abortedText(call.Name, call.Tool)
		}
		return e.Output
	}
	output := strings.TrimSuffix(e.Output, e.Shell.Note)
	switch {
	case e.Shell.TimedOut:
		return timedOutText(time.Duration(e.Ran)) + output
	case e.Outcome == event.Interrupted:
		return cancelledText + output
	case e.Shell.Signal != "":
		return output + "\n\nCommand was ended by signal " + e.Shell.Signal
	case e.Shell.ExitCode != 0:
		return fmt.Sprintf("%s\n\nCommand exited with code %d", output, e.Shell.ExitCode)
	}
	return e.Output
}

// details returns what clients show of a result besides its text. Nil: they expect none.
func (t *Fold) details(call event.ToolIntended, e event.ToolEnded) jsontext.Value {
	given := detailsGiven(e)
	switch {
	case given != nil:
		return given
	case e.Tasks != nil:
		return t.tasks(e.Tasks)
	case e.Outcome != event.Succeeded:
		return noDetails
	case len(e.Changes) > 0:
		return rawjson.Marshal(changesOf(e.Changes))
	case e.Shell != nil:
		return shellDetails(e)
	case e.Search != nil:
		d := searchDetails{Query: e.Search.Query, Sources: e.Search.Results}
		if d.Sources == nil {
			d.Sources = []event.SearchHit{}
		}
		return rawjson.Marshal(d)
	case e.Matches != nil:
		return matchDetails(call.Tool, e.Matches)
	case e.Fetch != nil:
		return rawjson.Marshal(fetchDetails{e.Fetch.URL, e.Fetch.Status, e.Fetch.MIME, e.Fetch.Bytes})
	case call.Tool == toolRead && !e.Folder:
		d := sourceDetails{}
		d.Meta.Source = source{"path", inputText(call.Input, "path")}
		return rawjson.Marshal(d)
	case call.Tool == toolList, e.Folder:
		return rawjson.Marshal(folderDetails{true})
	case (call.Tool == toolPlan || call.Tool == toolTodo) && t.plan != nil:
		return rawjson.Marshal(todoDetails{phasesOf(*t.plan), "session"})
	}
	return noDetails
}

func shellDetails(e event.ToolEnded) jsontext.Value {
	if e.Shell.Omitted == 0 {
		return nil
	}
	d := cutDetails{}
	d.Meta.Truncation = truncation{
		Direction: "middle", TruncatedBy: "bytes", TotalBytes: int64(len(e.Output)) + e.Shell.Omitted,
		OutputBytes: len(e.Output), OutputLines: strings.Count(e.Output, "\n") + 1, ArtifactID: e.Shell.FullBlob,
	}
	return rawjson.Marshal(d)
}

func matchDetails(tool string, m *event.FileMatches) jsontext.Value {
	find := findDetails{ScopePath: m.Base, FileCount: len(m.Files), Files: []string{}, Truncated: m.Cut}
	grep := grepDetails{FileMatches: []fileMatch{}}
	for _, f := range m.Files {
		find.Files = append(find.Files, f.Path)
		grep.FileMatches = append(grep.FileMatches, fileMatch{f.Path, f.Lines})
		grep.MatchCount += f.Lines
	}
	if tool != toolGrep {
		return rawjson.Marshal(find)
	}
	grep.ScopePath, grep.FileCount, grep.Files, grep.Truncated = find.ScopePath, find.FileCount, find.Files, find.Truncated
	return rawjson.Marshal(grep)
}

func changesOf(changes []event.FileChange) changeDetails {
	d := changeDetails{Op: map[event.FileOp]string{event.Created: "create", event.Updated: "update", event.Deleted: "delete"}[changes[0].Op]}
	var diffs []string
	for _, c := range changes {
		diffs = append(diffs, c.Diff)
	}
	d.Diff = strings.Join(diffs, "")
	d.FirstChangedLine = firstChangedLine(changes[0].Diff)
	return d
}

// firstChangedLine returns the number of the first line that a unified diff adds, or after which
// it removes some; 0 if it has none.
func firstChangedLine(diff string) int {
	line, inside := 0, false
	for text := range strings.Lines(diff) {
		switch {
		case strings.HasPrefix(text, "@@ "):
			_, after, _ := strings.Cut(text, " +")
			digits := after[:len(after)-len(strings.TrimLeft(after, "0123456789"))]
			line, _ = strconv.Atoi(digits)
			inside = true
		case !inside:
		case strings.HasPrefix(text, "+"), strings.HasPrefix(text, "-"):
			return max(line, 1)
		default:
			line++
		}
	}
	return 0
}

// phasesOf returns a plan as todos: one phase, where it has none.
func phasesOf(plan event.PlanUpdated) []todoPhase {
	phases := []todoPhase{}
	for _, p := range plan.Phases {
		phase := todoPhase{ID: p.ID, Name: p.Name, Tasks: []todoTask{}}
		for i, task := range TodosOf(p.Tasks) {
			phase.Tasks = append(phase.Tasks, todoTask{task, p.Tasks[i].Notes, p.Tasks[i].Details})
		}
		phases = append(phases, phase)
	}
	if plan.Phases != nil {
		return phases
	}
	phase := todoPhase{ID: "phase-1", Name: "Plan", Tasks: []todoTask{}}
	for i, item := range plan.Items {
		phase.Tasks = append(phase.Tasks, todoTask{Todo: Todo{"task-" + strconv.Itoa(i+1), item.Text, string(item.Status)}})
	}
	return []todoPhase{phase}
}

// TodosOf returns the tasks of a plan as clients know them.
func TodosOf(tasks []event.PlanTask) []Todo {
	todos := []Todo{}
	for _, task := range tasks {
		todos = append(todos, Todo{task.ID, task.Text, string(task.Status)})
	}
	return todos
}

// inputText returns a text of a call's input, or "".
func inputText(input jsontext.Value, name string) string {
	obj, err := wire.ParseObject(input, rawjson.Options)
	if err != nil {
		return ""
	}
	value, _ := obj.Get(name)
	found, _ := rawjson.Text(value)
	return found
}

// GivenDetails is the Reply of a call whose details an extension has given.
type GivenDetails struct {
	Details jsontext.Value `json:"details,omitzero"`
}

// detailsGiven returns the details that an extension has given; nil: none has.
func detailsGiven(e event.ToolEnded) jsontext.Value {
	if e.Reply == nil || e.Reply.Content == nil {
		return nil
	}
	var given GivenDetails
	_ = json.Unmarshal(e.Reply.Content, &given, rawjson.Lenient...) // a tool server says something else
	return given.Details
}

// TodosIn returns the phases that the details of a result have; nil: it is none of todos.
func TodosIn(details jsontext.Value) []event.PlanPhase {
	var d todoDetails
	if details == nil || wire.DecodeValue(details, &d, rawjson.Options) != nil || d.Phases == nil {
		return nil
	}
	phases := []event.PlanPhase{}
	for _, p := range d.Phases {
		phase := event.PlanPhase{ID: p.ID, Name: p.Name, Tasks: []event.PlanTask{}}
		for _, task := range p.Tasks {
			phase.Tasks = append(phase.Tasks, event.PlanTask{
				ID: task.ID, Text: task.Content, Status: event.PlanStatus(task.Status), Notes: task.Notes, Details: task.Details,
			})
		}
		phases = append(phases, phase)
	}
	return phases
}
