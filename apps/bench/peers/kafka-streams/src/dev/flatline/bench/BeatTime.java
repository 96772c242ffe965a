package dev.flatline.bench;

import org.apache.kafka.streams.processor.api.ContextualFixedKeyProcessor;
import org.apache.kafka.streams.processor.api.FixedKeyRecord;

/** A heartbeat as the session it would be alone. */
final class BeatTime extends ContextualFixedKeyProcessor<String, byte[], Session> {
  @Override
  public void process(FixedKeyRecord<String, byte[]> beat) {
    context().forward(beat.withValue(Session.first(beat.timestamp())));
  }
}
