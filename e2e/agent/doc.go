// Package agent is a scripted agent of the Agent Client Protocol, as which a test binary starts itself: TestMain calls Play first.
// Tests of back ends configure it in place of a real agent.
package agent
