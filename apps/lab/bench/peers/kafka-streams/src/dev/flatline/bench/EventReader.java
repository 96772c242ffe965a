package dev.flatline.bench;

/** Reads the values of records; one for each task, since readers use again what they have made. */
interface EventReader {
  Event read(byte[] value);

  static EventReader of(Task task) {
    return switch (task.text("format")) {
      case "bare" -> value -> Event.BARE;
      case "json" -> new JsonEventReader();
      case "avro" -> new AvroEventReader(task.text("schema"));
      default -> throw new IllegalArgumentException("no format is called " + task.text("format"));
    };
  }
}
