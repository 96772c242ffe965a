package dev.flatline.bench;

/** Runs Kafka Streams as a peer and prints what it cost as one line of JSON. */
public final class Main {
  private Main() {}

  public static void main(String[] arguments) throws Exception {
    Task task = Task.of(arguments);
    String answer = switch (task.text("job")) {
      case "throughput" -> ThroughputJob.run(task);
      case "restore" -> RestoreJob.run(task);
      case "run" -> RunJob.run(task);
      default -> throw new IllegalArgumentException("no job is called " + task.text("job"));
    };
    System.out.println(answer);
    System.exit(0);
  }
}
