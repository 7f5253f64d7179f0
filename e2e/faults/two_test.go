//go:build linux

package faults

var twoFaults = []fault{
	{group: "two", name: "one session", does: rivalry},
}

// rivalry is a second process that wants the session of the first. While a turn runs it is
// refused, as the dialect has it, and the first goes on as if nothing had been; between turns
// it opens the session, too.
func rivalry(r *run) {
	o := &run{T: r.T, face: r.face.opener(), phase: r.phase, fault: r.fault, place: r.place, mark: r.mark, session: r.session}
	o.launch(o.face, o.face.again)
	switch opened := o.client.again(o); {
	case !r.phase.turn && !opened:
		r.Error("an idle session is refused")
	case r.phase.turn && opened: // it may read
		n := len(o.tap.heard())
		o.send(o.client.prompt(workPrompt))
		o.tap.until("a refusal", func(signs []sign, _ bool) bool {
			if count(signs[n:], accepted) > 0 {
				r.Fatal("two processes have the session")
			}
			return count(signs[n:], refused) > 0
		})
	}
	o.hangUp()
	if r.phase.turn {
		o.wantExit("rival")
	} else {
		o.wantExit("eof")
	}
	o.checkWire(true)
	if r.phase.turn {
		r.goOn()
		r.wantEnded(completed)
		if got := said(r.tap.heard(), r.begun); got != r.doneText() {
			r.Errorf("the turn says %q, want %q", got, r.doneText())
		}
	}
	r.goesOn()
}
