// Messages that wait in a stream of NATS until they are due, each a schedule of its own (Nats-Schedule), and are handed over by a
// durable consumer, at least once: `client <task as JSON>`. Answers with a line of JSON.
package main

import (
	"fmt"
	"time"

	"flatline.bench/peers/meter"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Times are in milliseconds since the epoch. Those that are due together come first in number, then the others.
type task struct {
	Port         int   `json:"port"`
	ServerPid    int   `json:"serverPid"`
	Records      int   `json:"records"`
	DueFrom      int64 `json:"dueFrom"`
	DueWithinMs  int64 `json:"dueWithinMs"`
	Others       int   `json:"others"`
	OthersFrom   int64 `json:"othersFrom"`
	OtherEveryMs int64 `json:"otherEveryMs"`
	ValueBytes   int   `json:"valueBytes"`
	RunMaxMs     int64 `json:"runMaxMs"`
}

type answer struct {
	Added        meter.Step `json:"added"`
	PendingBytes int64      `json:"pendingBytes"`
	Drained      meter.Step `json:"drained"`
	DrainMs      int64      `json:"drainMs"`
	Count        int        `json:"count"`
	Twice        int        `json:"twice"`
	OthersSeenAt []int64    `json:"othersSeenAt"`
}

const (
	settle = 3 * time.Second
	// The consumer begins so long before the first of all is due, and is measured from so long before those that are due together.
	lead = time.Second
	look = 5 * time.Millisecond
)

func main() {
	meter.Answer(run)
}

func run(given task) answer {
	connection, err := nats.Connect(fmt.Sprintf("nats://127.0.0.1:%d", given.Port))
	meter.Must(err)
	defer connection.Close()
	refused := func(_ jetstream.JetStream, _ *nats.Msg, err error) { meter.Must(err) }
	js, err := jetstream.New(
		connection,
		jetstream.WithPublishAsyncMaxPending(publishedAtOnce),
		jetstream.WithPublishAsyncErrHandler(refused),
	)
	meter.Must(err)
	stream := open(js)
	said := answer{}
	emptyBytes := meter.MemoryOf(given.ServerPid)
	adding := meter.Begin(given.ServerPid)
	add(js, given)
	said.Added = adding.End()
	time.Sleep(settle)
	said.PendingBytes = meter.MemoryOf(given.ServerPid) - emptyBytes
	first, together := time.UnixMilli(given.OthersFrom), time.UnixMilli(given.DueFrom)
	if time.Until(first) < lead {
		meter.Must(fmt.Errorf("they were due before all of them were there"))
	}
	time.Sleep(time.Until(first.Add(-lead)))
	seen := consume(stream, given)
	time.Sleep(time.Until(together.Add(-lead)))
	draining := meter.Begin(given.ServerPid)
	until := together.Add(time.Duration(given.RunMaxMs) * time.Millisecond)
	wait(until, func() bool { return seen.count.Load() == int64(given.Records) })
	said.Drained = draining.End()
	wait(until, func() bool { return seen.othersLeft.Load() == 0 })
	seen.tell(&said, given.DueFrom)
	return said
}

func wait(until time.Time, isDone func() bool) {
	for !isDone() && time.Now().Before(until) {
		time.Sleep(look)
	}
}

func (given task) dueAt(number int) time.Time {
	if number < given.Records {
		return time.UnixMilli(given.DueFrom + int64(number)%given.DueWithinMs)
	}
	return time.UnixMilli(given.OthersFrom + int64(number-given.Records)*given.OtherEveryMs)
}
