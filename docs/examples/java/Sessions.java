import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

/** Heartbeats into Flatline's input and summaries out of its output, with kafka-clients. */
public final class Sessions {
  public static void main(String[] args) throws Exception {
    if (args.length < 4) throw new IllegalArgumentException("beat BROKERS TOPIC KEY... | closed BROKERS TOPIC COUNT");
    if (args[0].equals("beat")) beat(args[1], args[2], Arrays.asList(args).subList(3, args.length));
    else closed(args[1], args[2], Integer.parseInt(args[3]));
  }

  static void beat(String brokers, String topic, List<String> keys) throws Exception {
    // The default partitioner is murmur2: the one that all producers of an input have to use. Idempotent by default.
    Map<String, Object> settings = Map.of("bootstrap.servers", brokers);
    try (var producer = new KafkaProducer<>(settings, new StringSerializer(), new StringSerializer())) {
      for (String key : keys) {
        // An empty value is a heartbeat too, the cheapest one; null would end the session.
        String value = "{\"type\":\"VIEW\",\"attributes\":{\"page\":\"/cart\"}}";
        var sent = producer.send(new ProducerRecord<>(topic, key, value)).get();
        System.out.println(key + " " + sent.partition());
      }
    }
  }

  static void closed(String brokers, String topic, int count) {
    Map<String, Object> settings =
        Map.of(
            "bootstrap.servers", brokers,
            "group.id", "example-java-" + topic,
            "isolation.level", "read_committed",
            "auto.offset.reset", "earliest",
            "enable.auto.commit", false);
    // Any JSON library would do; two fields need none.
    Pattern fields = Pattern.compile("\"sessionId\":\"([^\"]*)\".*?\"reason\":\"([A-Z_]*)\"");
    try (var consumer = new KafkaConsumer<>(settings, new StringDeserializer(), new StringDeserializer())) {
      consumer.subscribe(List.of(topic));
      while (count > 0) {
        for (var record : consumer.poll(Duration.ofSeconds(1))) {
          // A null after the summary: nothing more will come for this incarnation.
          if (record.value() == null || count == 0) continue;
          var found = fields.matcher(record.value());
          if (!found.find()) throw new IllegalStateException("no summary: " + record.value());
          System.out.println(found.group(1) + " " + found.group(2));
          count--;
        }
        // After what was done with them: a summary may come twice, and `incarnation` tells.
        consumer.commitSync();
      }
    }
  }
}
