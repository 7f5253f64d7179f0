package engine

import (
	"cmp"
	"errors"

	"parley.dev/parley/internal/backend"
	"parley.dev/parley/internal/event"
)

// errAgentEnded is the answer to what an agent has asked in a turn that it has ended.
var errAgentEnded = errors.New("the agent has ended the turn")

// question has the user answer what the agent asks. The agent goes on with other calls meanwhile.
func (d *delegation) question(u backend.Question) {
	var call event.CallID
	if c := d.calls[u.Call]; c != nil {
		call = c.id
	} else if u.Call != "" {
		d.stray("question of call " + u.Call)
	}
	d.endMessage(nil, backend.MessageEnd{})
	d.asks.Go(func() {
		answers, err := d.t.question(d.ctx, call, u.Questions)
		u.Answer(answers, err)
	})
}

// retry shows that the agent tries a request to its model again. What the attempt before has said was shown as an answer, and stays one.
func (d *delegation) retry(u backend.Retry) {
	d.endRetry(false)
	d.endMessage(nil, backend.MessageEnd{})
	d.retries = cmp.Or(u.Attempt, d.retries+1)
	d.retrying = true
	d.t.show(event.RetryStarted{
		Attempt: d.retries, Max: max(u.Max, d.retries), Delay: event.Duration(u.Delay),
		Failure: event.Failure{Kind: FailBackend, Message: cmp.Or(u.Message, "the request of the agent to its model has failed"), Provider: d.agent.name},
	})
}

// endRetry shows the result of the request that the agent has retried.
func (d *delegation) endRetry(succeeded bool) {
	if d.retrying {
		d.retrying = false
		d.t.show(event.RetryEnded{Attempt: d.retries, Succeeded: succeeded, Cancelled: !succeeded && d.ctx.Err() != nil})
	}
	if succeeded {
		d.retries = 0
	}
}
