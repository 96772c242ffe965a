// Leases of etcd, kept alive over a few streams as a gateway for many holders does it: `client <task as JSON>`. Answers with a
// line of JSON.
package main

import (
	"context"
	"fmt"
	"math/rand"
	"time"

	"flatline.bench/peers/meter"
	clientv3 "go.etcd.io/etcd/client/v3"
)

type task struct {
	Port          int   `json:"port"`
	ServerPid     int   `json:"serverPid"`
	Leases        int   `json:"leases"`
	Touches       int   `json:"touches"`
	WarmUpTouches int   `json:"warmUpTouches"`
	Expiring      int   `json:"expiring"`
	ExpireAfterMs int64 `json:"expireAfterMs"`
	DrainMaxMs    int64 `json:"drainMaxMs"`
}

type answer struct {
	Touched meter.Step `json:"touched"`
	Expired meter.Step `json:"expired"`
	Ended   int64      `json:"ended"`
	Twice   int64      `json:"twice"`
	DrainMs int64      `json:"drainMs"`
}

const (
	// Each of them is a connection.
	clients = 4
	// Lifetime of leases that are touched.
	heldSeconds = 3600
	// Cost of an expiry is measured from so long before the first is due.
	lead = time.Second
	look = 5 * time.Millisecond
)

func main() {
	meter.Answer(run)
}

func run(given task) answer {
	var all []*clientv3.Client
	for range clients {
		client, err := clientv3.New(clientv3.Config{
			Endpoints:   []string{fmt.Sprintf("127.0.0.1:%d", given.Port)},
			DialTimeout: 10 * time.Second,
		})
		meter.Must(err)
		all = append(all, client)
	}
	held := grant(all, given.Leases, func() int64 { return heldSeconds }, "")
	random := rand.New(rand.NewSource(1))
	touch(all, held, given.WarmUpTouches, random)
	touching := meter.Begin(given.ServerPid)
	touch(all, held, given.Touches, random)
	said := answer{Touched: touching.End()}
	expire(all, given, &said)
	return said
}

// Leases that end within the same second, each with a key, since nothing else tells that a lease has ended.
func expire(all []*clientv3.Client, given task, said *answer) {
	ends := watch(all[0])
	dueFrom := time.Now().Add(time.Duration(given.ExpireAfterMs) * time.Millisecond)
	// A second at least: rounded up, all are due within the second that begins then.
	seconds := func() int64 { return int64(time.Until(dueFrom)/time.Second) + 1 }
	grant(all, given.Expiring, seconds, expiringPrefix)
	if time.Until(dueFrom) < lead {
		meter.Must(fmt.Errorf("leases were due before all of them were there"))
	}
	time.Sleep(time.Until(dueFrom.Add(-lead)))
	ending := meter.Begin(given.ServerPid)
	until := dueFrom.Add(time.Duration(given.DrainMaxMs) * time.Millisecond)
	for ends.count.Load() < int64(given.Expiring) && time.Now().Before(until) {
		time.Sleep(look)
	}
	said.Expired = ending.End()
	said.Ended = ends.count.Load()
	said.Twice = ends.twice.Load()
	said.DrainMs = time.UnixMilli(ends.lastAt.Load()).Sub(dueFrom).Milliseconds()
}

var background = context.Background()
