package dev.flatline.bench;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** The benchmark's request, from arguments of the form {@code name=value}. */
record Task(Map<String, String> values) {
  static Task of(String[] arguments) {
    return new Task(Arrays.stream(arguments)
        .map(each -> each.split("=", 2))
        .collect(Collectors.toMap(each -> each[0], each -> each[1])));
  }

  String text(String name) {
    String value = values.get(name);
    if (value == null) throw new IllegalArgumentException("the argument " + name + "=… is missing");
    return value;
  }

  boolean has(String name) {
    return values.containsKey(name);
  }

  long number(String name) {
    return Long.parseLong(text(name));
  }

  long number(String name, long otherwise) {
    return has(name) ? number(name) : otherwise;
  }

  List<Integer> partitions() {
    return java.util.stream.IntStream.range(0, (int) number("partitions")).boxed().toList();
  }
}
