package stream

import "fmt"

// This file has the subjects of batches. The ids of batches, tasks and queues are tokens as they are.

// BatchLog returns the subject of a log of a batch: m, c or l.
func (n Namespace) BatchLog(batch, kind string) string {
	return n.Name + ".bt." + batch + "." + kind
}

// TaskLog returns the subject of the log of a task.
func (n Namespace) TaskLog(batch, kind, task string) string {
	return n.BatchLog(batch, kind) + "." + task
}

// Batch returns the subject of all logs of a batch.
func (n Namespace) Batch(batch string) string { return n.Name + ".bt." + batch + ".>" }

// Batches returns the subject of the logs of that kind of all batches.
func (n Namespace) Batches(kind string) string { return n.Name + ".bt.*." + kind }

// BatchBlobs returns the subject of all blobs of a batch. They lie in the stream of its logs.
func (n Namespace) BatchBlobs(batch string) string { return n.Name + ".bb." + batch + ".>" }

// BatchChunk returns the subject of one chunk of a blob.
func (n Namespace) BatchChunk(batch, address string, number int) string {
	return fmt.Sprintf("%s.bb.%s.%s.%d", n.Name, batch, address, number)
}

// Queue returns the subject of all tasks of a queue.
func (n Namespace) Queue(queue string) string { return n.Name + ".t." + queue + ".>" }

// QueuedBatch returns the subject of the tasks of a batch in a queue; "*": in any queue.
func (n Namespace) QueuedBatch(queue, batch string) string {
	return n.Name + ".t." + queue + "." + batch + ".*"
}

// QueuedTask returns the subject of a task in a queue.
func (n Namespace) QueuedTask(queue, batch, task string) string {
	return n.Name + ".t." + queue + "." + batch + "." + task
}
