package dev.flatline.bench;

import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListConsumerGroupOffsetsOptions;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.streams.KafkaStreams;

/** How far an application has come: records processed by its own metric, records committed by its group's offsets. */
final class Progress implements AutoCloseable {
  private final Admin admin;
  private final String group;
  private final List<TopicPartition> inputs;
  private final KafkaStreams streams;
  private List<Metric> processed = List.of();

  Progress(Task task, KafkaStreams streams) {
    this.streams = streams;
    admin = Admin.create(Map.of("bootstrap.servers", task.text("brokers")));
    group = task.text("application");
    inputs = task.partitions().stream().map(each -> new TopicPartition(task.text("topic"), each)).toList();
  }

  /** Metrics of the threads; they are there once the application has started. */
  long processed() {
    if (processed.isEmpty())
      processed = streams.metrics().values().stream()
          .map(Metric.class::cast)
          .filter(each -> each.metricName().name().equals("process-total"))
          .filter(each -> each.metricName().group().equals("stream-thread-metrics"))
          .toList();
    return (long) processed.stream().mapToDouble(each -> (double) each.metricValue()).sum();
  }

  Map<TopicPartition, Long> ends() throws Exception {
    var answers = admin.listOffsets(inputs.stream().collect(Collectors.toMap(Function.identity(), each -> OffsetSpec.latest())));
    return answers.all().get().entrySet().stream()
        .collect(Collectors.toMap(Map.Entry::getKey, each -> each.getValue().offset()));
  }

  Map<TopicPartition, Long> committed() throws Exception {
    Map<TopicPartition, OffsetAndMetadata> offsets = admin
        .listConsumerGroupOffsets(group, new ListConsumerGroupOffsetsOptions())
        .partitionsToOffsetAndMetadata().get();
    return inputs.stream().collect(Collectors.toMap(
        Function.identity(), each -> offsets.get(each) == null ? 0 : offsets.get(each).offset()));
  }

  @Override
  public void close() {
    admin.close();
  }
}
