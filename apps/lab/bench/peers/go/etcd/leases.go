package main

import (
	"fmt"
	"math/rand"
	"sync"
	"sync/atomic"
	"time"

	"flatline.bench/peers/meter"
	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	clientv3 "go.etcd.io/etcd/client/v3"
)

const (
	// Grants under way at once: commits of the server's log are shared by all that wait.
	grantsAtOnce = 256
	// Streams of a client, and touches of a stream whose answer is not there yet.
	streams        = 2
	answersAwaited = 1_000
	expiringPrefix = "expiring/"
)

// grant makes so many leases and returns their ids; with a prefix each has a key.
func grant(all []*clientv3.Client, count int, seconds func() int64, prefix string) []clientv3.LeaseID {
	ids := make([]clientv3.LeaseID, count)
	var next atomic.Int64
	var workers sync.WaitGroup
	for worker := range grantsAtOnce {
		client := all[worker%len(all)]
		workers.Go(func() {
			for at := int(next.Add(1)) - 1; at < count; at = int(next.Add(1)) - 1 {
				granted, err := client.Grant(background, seconds())
				meter.Must(err)
				ids[at] = granted.ID
				if prefix == "" {
					continue
				}
				_, err = client.Put(background, fmt.Sprint(prefix, at), "", clientv3.WithLease(granted.ID))
				meter.Must(err)
			}
		})
	}
	workers.Wait()
	return ids
}

// touch renews random ones of them so many times, and returns once all are answered.
func touch(all []*clientv3.Client, ids []clientv3.LeaseID, count int, random *rand.Rand) {
	var workers sync.WaitGroup
	for stream := range streams * len(all) {
		share := count / (streams * len(all))
		client := all[stream%len(all)]
		order := rand.New(rand.NewSource(random.Int63()))
		workers.Go(func() { touchOverStream(client, ids, share, order) })
	}
	workers.Wait()
}

func touchOverStream(client *clientv3.Client, ids []clientv3.LeaseID, count int, order *rand.Rand) {
	stream, err := pb.NewLeaseClient(client.ActiveConnection()).LeaseKeepAlive(background)
	meter.Must(err)
	awaited := make(chan struct{}, answersAwaited)
	go func() {
		for range count {
			awaited <- struct{}{}
			meter.Must(stream.Send(&pb.LeaseKeepAliveRequest{ID: int64(ids[order.Intn(len(ids))])}))
		}
		meter.Must(stream.CloseSend())
	}()
	for range count {
		renewed, err := stream.Recv()
		meter.Must(err)
		if renewed.TTL <= 0 {
			meter.Must(fmt.Errorf("lease %x has ended", renewed.ID))
		}
		<-awaited
	}
}

// ends is what a watcher of the keys has been told.
type ends struct {
	count, twice, lastAt atomic.Int64
}

func watch(client *clientv3.Client) *ends {
	told := &ends{}
	ready := make(chan struct{})
	options := []clientv3.OpOption{clientv3.WithPrefix(), clientv3.WithFilterPut(), clientv3.WithCreatedNotify()}
	channel := client.Watch(background, expiringPrefix, options...)
	go func() {
		seen := map[string]bool{}
		for response := range channel {
			meter.Must(response.Err())
			if response.Created {
				close(ready)
			}
			for _, event := range response.Events {
				if seen[string(event.Kv.Key)] {
					told.twice.Add(1)
				} else {
					told.count.Add(1)
				}
				seen[string(event.Kv.Key)] = true
				told.lastAt.Store(time.Now().UnixMilli())
			}
		}
	}()
	<-ready
	return told
}
