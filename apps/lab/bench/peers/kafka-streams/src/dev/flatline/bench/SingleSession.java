package dev.flatline.bench;

import org.apache.kafka.streams.processor.api.ContextualFixedKeyProcessor;
import org.apache.kafka.streams.processor.api.FixedKeyRecord;

/** An event as the session it would be alone. */
final class SingleSession extends ContextualFixedKeyProcessor<String, byte[], Session> {
  private final EventReader events;

  SingleSession(EventReader events) {
    this.events = events;
  }

  @Override
  public void process(FixedKeyRecord<String, byte[]> beat) {
    context().forward(beat.withValue(Session.first(events.read(beat.value()), beat.timestamp())));
  }
}
