/*
 * librdkafka reading a topic and nothing else: partitions assigned from their beginnings, messages taken in batches from
 * the consumer's queue, key length and timestamp of each looked at. `reader <brokers> <topic> <partitions> <records>
 * <warm-up>` prints what it cost, from the first batch, or the one that ends a warm-up of so many records, to the last, as
 * one line of JSON; `reader version` which librdkafka it is. What it has fetched ahead when the warm-up ends, a million
 * messages at most, counts for it all the same.
 */
#include "rdkafka.h"
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#define BATCH_MAX 10000
#define WAIT_MS 1000
/* Waits on end without a message: the topic does not hold what was asked for. */
#define IDLE_WAITS_MAX 30

static double elapsed_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1e3 + now.tv_nsec / 1e6;
}

static double epoch_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return now.tv_sec * 1e3 + now.tv_nsec / 1e6;
}

static double cpu_ms(void) {
  struct rusage used;
  getrusage(RUSAGE_SELF, &used);
  return (used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1e3 + (used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e3;
}

static long peak_rss_bytes(void) {
  struct rusage used;
  getrusage(RUSAGE_SELF, &used);
#ifdef __APPLE__
  return used.ru_maxrss;
#else
  return used.ru_maxrss * 1024;
#endif
}

static void fail(const char *what, const char *why) {
  fprintf(stderr, "%s: %s\n", what, why);
  exit(1);
}

static void set(rd_kafka_conf_t *settings, const char *name, const char *value) {
  char why[512];
  if (rd_kafka_conf_set(settings, name, value, why, sizeof why) != RD_KAFKA_CONF_OK) fail(name, why);
}

static rd_kafka_t *consumer_of(const char *brokers) {
  char why[512];
  rd_kafka_conf_t *settings = rd_kafka_conf_new();
  set(settings, "bootstrap.servers", brokers);
  set(settings, "group.id", "unused");
  set(settings, "enable.auto.commit", "false");
  set(settings, "enable.auto.offset.store", "false");
  /* As much ahead of the loop as it has use for. */
  set(settings, "queued.min.messages", "1000000");
  set(settings, "fetch.message.max.bytes", "4194304");
  rd_kafka_t *consumer = rd_kafka_new(RD_KAFKA_CONSUMER, settings, why, sizeof why);
  if (consumer == NULL) fail("no consumer", why);
  rd_kafka_poll_set_consumer(consumer);
  return consumer;
}

static void assign_from_beginning(rd_kafka_t *consumer, const char *topic, int partitions) {
  rd_kafka_topic_partition_list_t *all = rd_kafka_topic_partition_list_new(partitions);
  for (int partition = 0; partition < partitions; partition += 1)
    rd_kafka_topic_partition_list_add(all, topic, partition)->offset = RD_KAFKA_OFFSET_BEGINNING;
  rd_kafka_resp_err_t error = rd_kafka_assign(consumer, all);
  if (error) fail("not assigned", rd_kafka_err2str(error));
  rd_kafka_topic_partition_list_destroy(all);
}

/* Events among them: a message without a key is a clock record of a processor that ran on this topic. */
static long look_at(rd_kafka_message_t **messages, ssize_t count, long *key_bytes) {
  long events = 0;
  for (ssize_t at = 0; at < count; at += 1) {
    rd_kafka_message_t *message = messages[at];
    if (message->err) fail("a message is an error", rd_kafka_message_errstr(message));
    if (rd_kafka_message_timestamp(message, NULL) < 0) fail("a message", "has no timestamp");
    if (message->key != NULL) events += 1;
    *key_bytes += message->key_len;
    rd_kafka_message_destroy(message);
  }
  return events;
}

int main(int count, char **arguments) {
  if (count == 2) {
    printf("{\"version\":\"%s\"}\n", rd_kafka_version_str());
    return 0;
  }
  if (count != 6) fail("usage", "reader <brokers> <topic> <partitions> <records> <warm-up>");
  long records = atol(arguments[4]), warm_up = atol(arguments[5]);
  rd_kafka_t *consumer = consumer_of(arguments[1]);
  rd_kafka_queue_t *queue = rd_kafka_queue_get_consumer(consumer);
  assign_from_beginning(consumer, arguments[2], atoi(arguments[3]));
  static rd_kafka_message_t *messages[BATCH_MAX];
  double started_at_ms = 0, cpu_before_ms = 0;
  long seen = 0, before = 0, key_bytes = 0;
  for (int idle = 0; seen < records; idle += 1) {
    if (idle > IDLE_WAITS_MAX) fail("the topic", "holds fewer events");
    ssize_t taken = rd_kafka_consume_batch_queue(queue, WAIT_MS, messages, BATCH_MAX);
    if (taken < 0) fail("not read", rd_kafka_err2str(rd_kafka_last_error()));
    if (taken == 0) continue;
    if (started_at_ms == 0) {
      started_at_ms = elapsed_ms();
      cpu_before_ms = cpu_ms();
    }
    idle = 0;
    seen += look_at(messages, taken, &key_bytes);
    if (before == 0 && warm_up > 0 && seen >= warm_up) {
      before = seen;
      started_at_ms = elapsed_ms();
      cpu_before_ms = cpu_ms();
    }
  }
  double elapsed = elapsed_ms() - started_at_ms, cpu = cpu_ms() - cpu_before_ms;
  printf("{\"records\":%ld,\"elapsedMs\":%.3f,\"endedAt\":%.3f,\"cpuMs\":%.3f,\"keyBytes\":%ld,\"peakRssBytes\":%ld,\"rssBytes\":%ld}\n",
         seen - before, elapsed, epoch_ms(), cpu, key_bytes, peak_rss_bytes(), peak_rss_bytes());
  return 0;
}
