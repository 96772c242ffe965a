package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"flatline.bench/peers/meter"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

const (
	// A schedule is known by its subject.
	waiting = "waiting."
	due     = "due"
	// Messages on their way to the server without its answer.
	publishedAtOnce = 4_096
	stallMax        = 30 * time.Second
	// Messages that a consumer has and has not acknowledged; of one request.
	pendingMax = 20_000
	pulledMax  = 5_000
)

var background = context.Background()

// open makes a stream that keeps what waits, and what is due until it is acknowledged, in files.
func open(js jetstream.JetStream) jetstream.Stream {
	stream, err := js.CreateStream(background, jetstream.StreamConfig{
		Name:              "later",
		Subjects:          []string{waiting + "*", due},
		Storage:           jetstream.FileStorage,
		Retention:         jetstream.WorkQueuePolicy,
		AllowMsgSchedules: true,
	})
	meter.Must(err)
	return stream
}

// add returns once the server has all of them.
func add(js jetstream.JetStream, given task) {
	for number := range given.Records + given.Others {
		dueAt := given.dueAt(number)
		value := fmt.Sprintf(`{"deadlineAt":%d}`, dueAt.UnixMilli())
		message := nats.NewMsg(waiting + strconv.Itoa(number))
		message.Data = fmt.Appendf(nil, "%-*s", given.ValueBytes, value)
		message.Header.Set("Nats-Schedule", "@at "+dueAt.UTC().Format(time.RFC3339Nano))
		message.Header.Set("Nats-Schedule-Target", due)
		_, err := js.PublishMsgAsync(message, jetstream.WithStallWait(stallMax))
		meter.Must(err)
	}
	<-js.PublishAsyncComplete()
}

// seen is what has been handed over.
type seen struct {
	count, othersLeft, lastAt atomic.Int64
	mutex                     sync.Mutex
	times                     []uint8
	othersAt                  []int64
	twice                     int
}

func consume(stream jetstream.Stream, given task) *seen {
	consumer, err := stream.CreateOrUpdateConsumer(background, jetstream.ConsumerConfig{
		Durable:       "reader",
		FilterSubject: due,
		AckPolicy:     jetstream.AckExplicitPolicy,
		MaxAckPending: pendingMax,
	})
	meter.Must(err)
	told := &seen{times: make([]uint8, given.Records+given.Others), othersAt: make([]int64, given.Others)}
	told.othersLeft.Store(int64(given.Others))
	_, err = consumer.Consume(func(message jetstream.Msg) {
		number, err := strconv.Atoi(strings.TrimPrefix(message.Headers().Get("Nats-Scheduler"), waiting))
		meter.Must(err)
		told.see(number, given.Records)
		meter.Must(message.Ack())
	}, jetstream.PullMaxMessages(pulledMax))
	meter.Must(err)
	return told
}

func (s *seen) see(number, records int) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.times[number]++
	now := time.Now().UnixMilli()
	switch {
	case s.times[number] > 1:
		s.twice++
	case number < records:
		s.count.Add(1)
		s.lastAt.Store(now)
	default:
		s.othersAt[number-records] = now
		s.othersLeft.Add(-1)
	}
}

func (s *seen) tell(said *answer, dueFrom int64) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	said.Count = int(s.count.Load())
	said.Twice = s.twice
	said.DrainMs = max(0, s.lastAt.Load()-dueFrom)
	said.OthersSeenAt = append([]int64{}, s.othersAt...)
}
