package streamtest

import (
	"slices"
	"sync"
)

// A Feed carries messages that are not stored between the sides of a test, in order. The zero value is ready to use.
type Feed struct {
	mu        sync.Mutex
	receivers map[string][]*receiver
}

// A receiver receives the messages of a subject in a goroutine of its own.
type receiver struct {
	mu      sync.Mutex
	changed *sync.Cond
	queue   [][]byte
	stopped bool
}

// Send sends a message to the receivers of a subject.
func (f *Feed) Send(subject string, data []byte) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, r := range f.receivers[subject] {
		r.mu.Lock()
		r.queue = append(r.queue, slices.Clone(data))
		r.changed.Signal()
		r.mu.Unlock()
	}
	return nil
}

// Receive calls received with the messages of a subject until stop is called.
func (f *Feed) Receive(subject string, received func([]byte)) (stop func(), err error) {
	r := &receiver{}
	r.changed = sync.NewCond(&r.mu)
	f.mu.Lock()
	if f.receivers == nil {
		f.receivers = map[string][]*receiver{}
	}
	f.receivers[subject] = append(f.receivers[subject], r)
	f.mu.Unlock()
	go r.run(received)
	return func() {
		f.mu.Lock()
		f.receivers[subject] = slices.DeleteFunc(f.receivers[subject], func(other *receiver) bool { return other == r })
		f.mu.Unlock()
		r.mu.Lock()
		r.stopped = true
		r.changed.Signal()
		r.mu.Unlock()
	}, nil
}

func (r *receiver) run(received func([]byte)) {
	for {
		r.mu.Lock()
		for len(r.queue) == 0 && !r.stopped {
			r.changed.Wait()
		}
		if r.stopped {
			r.mu.Unlock()
			return
		}
		data := r.queue[0]
		r.queue = r.queue[1:]
		r.mu.Unlock()
		received(data)
	}
}
