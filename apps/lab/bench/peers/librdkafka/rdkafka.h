/*
 * What the reader uses of librdkafka's C interface, whose layout and names have been stable since 1.0: the library comes from
 * a Python wheel, which holds the newest release as its makers built it, and no header.
 */
#ifndef FLATLINE_BENCH_RDKAFKA_H
#define FLATLINE_BENCH_RDKAFKA_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

typedef struct rd_kafka_s rd_kafka_t;
typedef struct rd_kafka_conf_s rd_kafka_conf_t;
typedef struct rd_kafka_queue_s rd_kafka_queue_t;
typedef struct rd_kafka_topic_s rd_kafka_topic_t;
/* 0: no error. */
typedef int rd_kafka_resp_err_t;
typedef enum { RD_KAFKA_PRODUCER, RD_KAFKA_CONSUMER } rd_kafka_type_t;
typedef enum { RD_KAFKA_CONF_UNKNOWN = -2, RD_KAFKA_CONF_INVALID = -1, RD_KAFKA_CONF_OK = 0 } rd_kafka_conf_res_t;

#define RD_KAFKA_OFFSET_BEGINNING -2

typedef struct {
  rd_kafka_resp_err_t err;
  rd_kafka_topic_t *topic;
  int32_t partition;
  void *payload;
  size_t len;
  void *key;
  size_t key_len;
  int64_t offset;
  void *internal;
} rd_kafka_message_t;

typedef struct {
  char *topic;
  int32_t partition;
  int64_t offset;
  void *metadata;
  size_t metadata_size;
  void *opaque;
  rd_kafka_resp_err_t err;
  void *internal;
} rd_kafka_topic_partition_t;

typedef struct {
  int cnt;
  int size;
  rd_kafka_topic_partition_t *elems;
} rd_kafka_topic_partition_list_t;

const char *rd_kafka_version_str(void);
const char *rd_kafka_err2str(rd_kafka_resp_err_t error);
rd_kafka_resp_err_t rd_kafka_last_error(void);
rd_kafka_conf_t *rd_kafka_conf_new(void);
rd_kafka_conf_res_t rd_kafka_conf_set(rd_kafka_conf_t *, const char *name, const char *value, char *why, size_t why_size);
rd_kafka_t *rd_kafka_new(rd_kafka_type_t, rd_kafka_conf_t *, char *why, size_t why_size);
rd_kafka_resp_err_t rd_kafka_poll_set_consumer(rd_kafka_t *);
rd_kafka_queue_t *rd_kafka_queue_get_consumer(rd_kafka_t *);
rd_kafka_topic_partition_list_t *rd_kafka_topic_partition_list_new(int size);
rd_kafka_topic_partition_t *rd_kafka_topic_partition_list_add(
    rd_kafka_topic_partition_list_t *, const char *topic, int32_t partition);
void rd_kafka_topic_partition_list_destroy(rd_kafka_topic_partition_list_t *);
rd_kafka_resp_err_t rd_kafka_assign(rd_kafka_t *, const rd_kafka_topic_partition_list_t *);
ssize_t rd_kafka_consume_batch_queue(rd_kafka_queue_t *, int timeout_ms, rd_kafka_message_t **, size_t messages_max);
int64_t rd_kafka_message_timestamp(const rd_kafka_message_t *, int *type);
const char *rd_kafka_message_errstr(const rd_kafka_message_t *);
void rd_kafka_message_destroy(rd_kafka_message_t *);

#endif
