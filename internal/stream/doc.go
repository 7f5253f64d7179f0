// Package stream publishes and reads messages of NATS JetStream on behalf of several processes that share a
// namespace: a group of streams with a common prefix. A message is published with the sequence of the message
// that must be the last one of its subject; otherwise the server refuses it. So a subject is a log with one
// writer at a time, whatever time clocks have.
//
// Nothing here knows what messages mean: internal/cluster has the keys of hosts, internal/journal/jetstream the
// frames of sessions, internal/batch/jetstream the entries of batches. The server is not part of this program.
//
//	NS_j_SS        NS.j.SS.SESSION               the frames of the sessions of a shard
//	NS_b_SS        NS.b.SS.SESSION.SHA256.CHUNK  their large payloads, by content, in chunks
//	NS_batch       NS.bt.BATCH.KIND[.TASK]       the logs of batches
//	               NS.bb.BATCH.SHA256.CHUNK      their large values
//	NS_tasks       NS.t.QUEUE.BATCH.TASK         the queues of tasks
//	KV_NS_index    $KV.NS_index.SESSION          the summaries of lists; a cache
//	KV_NS_hosts    $KV.NS_hosts.HOST             the processes that live
//	KV_NS_config   $KV.NS_config.format          the layout of the namespace NS
package stream
