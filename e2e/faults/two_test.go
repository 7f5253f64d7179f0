//go:build linux

package faults

var twoFaults = []fault{
	{group: "two", name: "one session", does: rivalry},
}

// rivalry is a second process that wants the session of the first: it is refused, as the
// dialect has it, and the first goes on as if nothing had been.
func rivalry(r *run) {
	o := &run{T: r.T, face: r.face.opener(), phase: r.phase, fault: r.fault, place: r.place, mark: r.mark, session: r.session}
	o.launch(o.face, o.face.again)
	if o.client.again(o) { // it may read
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
	o.wantExit("rival")
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
