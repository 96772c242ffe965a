package dev.flatline.bench;

import java.time.Duration;
import java.util.Properties;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.streams.CloseOptions;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.errors.LogAndContinueExceptionHandler;

/** Kafka Streams set up for speed: exactly once, a cache that holds every session, large batches and fetches. */
final class Application {
  private static final int POLL_RECORDS_MAX = 10_000;
  private static final int PARTITION_FETCH_BYTES_MAX = 8 << 20;
  private static final int PRODUCER_BATCH_BYTES = 512 << 10;
  private static final Duration CLOSE_MAX = Duration.ofSeconds(20);
  /** As many heartbeats in a session timeout as by default. */
  private static final int HEARTBEATS_PER_SESSION = 15;

  private Application() {}

  static KafkaStreams of(Task task) {
    KafkaStreams streams = new KafkaStreams(Variants.topology(task), settings(task));
    streams.setUncaughtExceptionHandler(error -> {
      error.printStackTrace();
      Runtime.getRuntime().halt(1);
      return null;
    });
    return streams;
  }

  /** It is said to run between two rebalances, too, without its tasks. */
  static boolean isRestored(KafkaStreams streams, Task task) {
    return streams.state() == KafkaStreams.State.RUNNING
        && streams.metadataForLocalThreads().stream().mapToInt(thread -> thread.activeTasks().size()).sum()
            == task.partitions().size()
        && streams.allLocalStorePartitionLags().values().stream()
            .flatMap(store -> store.values().stream())
            .allMatch(lag -> lag.offsetLag() == 0);
  }

  /** In good order. A dynamic member stays in its group until its session times out, unless it is told to leave (KIP-1153). */
  static void close(KafkaStreams streams, Task task) {
    CloseOptions options = CloseOptions.timeout(CLOSE_MAX);
    if (task.has("leavesGroup"))
      options = options.withGroupMembershipOperation(CloseOptions.GroupMembershipOperation.LEAVE_GROUP);
    streams.close(options);
  }

  private static Properties settings(Task task) {
    Properties settings = new Properties();
    settings.put(StreamsConfig.APPLICATION_ID_CONFIG, task.text("application"));
    settings.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, task.text("brokers"));
    settings.put(StreamsConfig.STATE_DIR_CONFIG, task.text("stateDir"));
    settings.put(StreamsConfig.PROCESSING_GUARANTEE_CONFIG, StreamsConfig.EXACTLY_ONCE_V2);
    settings.put(StreamsConfig.NUM_STREAM_THREADS_CONFIG, task.text("threads"));
    settings.put(StreamsConfig.COMMIT_INTERVAL_MS_CONFIG, task.text("commitIntervalMs"));
    if (task.has("pollMs")) settings.put(StreamsConfig.POLL_MS_CONFIG, task.number("pollMs"));
    settings.put(StreamsConfig.STATESTORE_CACHE_MAX_BYTES_CONFIG, task.number("cacheBytes"));
    settings.put(StreamsConfig.BUFFERED_RECORDS_PER_PARTITION_CONFIG, POLL_RECORDS_MAX);
    settings.put(
        StreamsConfig.DESERIALIZATION_EXCEPTION_HANDLER_CLASS_CONFIG, LogAndContinueExceptionHandler.class);
    settings.put(StreamsConfig.consumerPrefix(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG), "earliest");
    settings.put(StreamsConfig.consumerPrefix(ConsumerConfig.MAX_POLL_RECORDS_CONFIG), POLL_RECORDS_MAX);
    settings.put(
        StreamsConfig.consumerPrefix(ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG), PARTITION_FETCH_BYTES_MAX);
    membership(task, settings);
    settings.put(StreamsConfig.producerPrefix(ProducerConfig.BATCH_SIZE_CONFIG), PRODUCER_BATCH_BYTES);
    return settings;
  }

  /** Static membership (KIP-345): a member that comes back under its name takes its old place at once. */
  private static void membership(Task task, Properties settings) {
    if (!task.has("groupInstanceId")) return;
    int sessionTimeoutMs = (int) task.number("sessionTimeoutMs");
    settings.put(StreamsConfig.mainConsumerPrefix(ConsumerConfig.GROUP_INSTANCE_ID_CONFIG), task.text("groupInstanceId"));
    settings.put(StreamsConfig.mainConsumerPrefix(ConsumerConfig.SESSION_TIMEOUT_MS_CONFIG), sessionTimeoutMs);
    settings.put(
        StreamsConfig.mainConsumerPrefix(ConsumerConfig.HEARTBEAT_INTERVAL_MS_CONFIG),
        sessionTimeoutMs / HEARTBEATS_PER_SESSION);
  }
}
