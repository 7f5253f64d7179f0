package sessionfile

import (
	"slices"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/dialect/pisces/rawjson"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/wire"
)

// This file takes todos out of session files: results of calls have them.

// setPlan makes the plan that of a result, or of the path that the session goes on with.
func (im *Importer) setPlan(at time.Time, phases []event.PlanPhase) {
	same := func(a, b event.PlanPhase) bool {
		return a.ID == b.ID && a.Name == b.Name && slices.Equal(a.Tasks, b.Tasks)
	}
	if slices.EqualFunc(im.plan, phases, same) {
		return
	}
	im.plan = phases
	plan := event.PlanUpdated{Items: []event.PlanItem{}, Phases: phases}
	for _, p := range phases {
		for _, task := range p.Tasks {
			if task.Status != event.Abandoned {
				plan.Items = append(plan.Items, event.PlanItem{Text: task.Text, Status: task.Status})
			}
		}
	}
	im.append(at, plan, nil)
}

// texts returns a member of an entry that was read, if it is a list of texts, without what is none.
func (e Entry) texts(name string) []string {
	all := []string{}
	var elements []jsontext.Value
	_ = wire.DecodeValue(e.field(name), &elements, rawjson.Options) // none if it is something else
	for _, element := range elements {
		if found, ok := rawjson.Text(element); ok {
			all = append(all, found)
		}
	}
	return all
}
