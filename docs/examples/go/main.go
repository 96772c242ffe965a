// Heartbeats into Flatline's input and summaries out of its output, with franz-go.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"os"
	"strconv"
	"strings"

	"github.com/hamba/avro/v2"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/sr"
)

type event struct {
	Type       string            `json:"type"`
	Attributes map[string]string `json:"attributes"`
}

type summary struct {
	SessionID string `json:"sessionId" avro:"sessionId"`
	Reason    string `json:"reason" avro:"reason"`
}

func main() {
	registry := flag.String("avro", "", "URL of the schema registry")
	schema := flag.String("schema", "../../../schemas/session-event.avsc", "schema of the events")
	flag.Parse()
	if flag.NArg() < 4 {
		log.Fatal("usage: sessions [-avro REGISTRY] beat BROKERS TOPIC KEY... | closed BROKERS TOPIC COUNT")
	}
	command, brokers, topic, rest := flag.Arg(0), strings.Split(flag.Arg(1), ","), flag.Arg(2), flag.Args()[3:]
	ctx := context.Background()
	switch command {
	case "beat":
		beat(ctx, brokers, topic, rest, *registry, *schema)
	case "closed":
		count, err := strconv.Atoi(rest[0])
		check(err)
		closed(ctx, brokers, topic, count, *registry)
	default:
		log.Fatalf("%s: neither beat nor closed", command)
	}
}

func beat(ctx context.Context, brokers []string, topic string, keys []string, registry, schemaFile string) {
	// The default partitioner hashes keys with murmur2, as Java's does. Idempotent by default.
	client, err := kgo.NewClient(kgo.SeedBrokers(brokers...))
	check(err)
	defer client.Close()
	value, err := json.Marshal(event{Type: "VIEW", Attributes: map[string]string{"page": "/cart"}})
	check(err)
	if registry != "" {
		value = avroEvent(ctx, topic, registry, schemaFile)
	}
	for _, key := range keys {
		// A record without a value would end the session; an empty one is the cheapest heartbeat.
		result := client.ProduceSync(ctx, &kgo.Record{Topic: topic, Key: []byte(key), Value: value})
		record, err := result.First()
		check(err)
		fmt.Println(key, record.Partition)
	}
}

func avroEvent(ctx context.Context, topic, registry, schemaFile string) []byte {
	text, err := os.ReadFile(schemaFile)
	check(err)
	client, err := sr.NewClient(sr.URLs(registry))
	check(err)
	registered, err := client.CreateSchema(ctx, topic+"-value", sr.Schema{Schema: string(text), Type: sr.TypeAvro})
	check(err)
	parsed, err := avro.Parse(string(text))
	check(err)
	kind := "VIEW"
	body, err := avro.Marshal(parsed, map[string]any{
		"type": kind, "occurredAt": nil, "eventId": nil, "sequence": nil, "timeoutMs": nil,
		"attributes": map[string]any{"page": "/cart"},
	})
	check(err)
	header, err := new(sr.ConfluentHeader).AppendEncode(nil, registered.ID, nil)
	check(err)
	return append(header, body...)
}

func closed(ctx context.Context, brokers []string, topic string, count int, registry string) {
	client, err := kgo.NewClient(
		kgo.SeedBrokers(brokers...),
		kgo.ConsumerGroup("example-go-"+topic),
		kgo.ConsumeTopics(topic),
		kgo.FetchIsolationLevel(kgo.ReadCommitted()),
		kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()),
		kgo.DisableAutoCommit(),
	)
	check(err)
	defer client.Close()
	for count > 0 {
		fetches := client.PollFetches(ctx)
		check(fetches.Err())
		fetches.EachRecord(func(record *kgo.Record) {
			// A null after the summary: nothing more will come for this incarnation.
			if record.Value == nil || count == 0 {
				return
			}
			read := decode(ctx, record.Value, registry)
			fmt.Println(read.SessionID, read.Reason)
			count--
		})
		// After what was done with them: a summary may come twice, and `incarnation` tells.
		check(client.CommitUncommittedOffsets(ctx))
	}
}

func decode(ctx context.Context, value []byte, registry string) (read summary) {
	if registry == "" {
		check(json.Unmarshal(value, &read))
		return read
	}
	id, body, err := new(sr.ConfluentHeader).DecodeID(value)
	check(err)
	client, err := sr.NewClient(sr.URLs(registry))
	check(err)
	written, err := client.SchemaByID(ctx, id)
	check(err)
	schema, err := avro.Parse(written.Schema)
	check(err)
	check(avro.Unmarshal(schema, body, &read))
	return read
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
