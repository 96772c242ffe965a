"""Quix Streams with the session windows of its documentation: `main.py <task as JSON>` prints what a topic cost it."""

import json
import resource
import sys
import time
from pathlib import Path

from quixstreams import Application

# Events between two looks at the time.
LOOK_EVERY = 1_000
BYTES_PER_RSS = 1 if sys.platform == "darwin" else 1024


class Meter:
    """Counts events from the first one, or the end of a warm-up, to the last, or until time is up, and stops the application then."""

    def __init__(self, task: dict):
        self.records = task["records"]
        self.warm_up_records = task["warmUpRecords"]
        self.warm_up_s = task["warmUpMs"] / 1_000
        self.run_max_s = task["runMaxMs"] / 1_000
        self.done = 0
        # The work done during the warm-up.
        self.before = 0
        self.begun_at = 0.0
        self.started_at = 0.0
        self.cpu_before = 0.0
        self.stop = None

    def is_event(self, _value, key, _timestamp, _headers) -> bool:
        """False of records without a key: clock records of a processor that ran on this topic before."""
        if self.begun_at == 0.0:
            self.begun_at = time.perf_counter()
            self.count()
        if key is None:
            return False
        self.done += 1
        return True

    def processed(self, _topic, _partition, _offset) -> None:
        if self.done < self.records and self.done % LOOK_EVERY != 0:
            return
        ran_s = time.perf_counter() - self.begun_at
        if self.before == 0 < self.warm_up_records and (self.done >= self.warm_up_records or ran_s >= self.warm_up_s):
            self.count()
        if self.done == self.records or ran_s >= self.run_max_s:
            self.stop()

    def count(self) -> None:
        self.before = self.done
        self.started_at = time.perf_counter()
        self.cpu_before = time.process_time()

    def cost(self) -> dict:
        """With the last commit and the closing of the stores."""
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * BYTES_PER_RSS
        return {
            "records": self.done - self.before,
            "elapsedMs": 1_000 * (time.perf_counter() - self.started_at),
            "endedAt": 1_000 * time.time(),
            "cpuMs": 1_000 * (time.process_time() - self.cpu_before),
            "peakRssBytes": peak,
            "rssBytes": peak,
            "stopped": self.done < self.records,
        }


def application_of(task: dict, meter: Meter) -> Application:
    return Application(
        broker_address=",".join(task["brokers"]),
        consumer_group=task["application"],
        auto_offset_reset="earliest",
        commit_interval=task["commitIntervalMs"] / 1_000,
        state_dir=Path(task["stateDir"]),
        processing_guarantee="exactly-once",
        loglevel="ERROR",
        on_message_processed=meter.processed,
    )


def main() -> None:
    task = json.loads(sys.argv[1])
    meter = Meter(task)
    application = application_of(task, meter)
    meter.stop = application.stop
    beats = application.topic(task["topic"], key_deserializer="str", value_deserializer="bytes")
    closes = application.topic(task["application"] + ".output", key_serializer="str", value_serializer="json")
    (
        application.dataframe(beats)
        .filter(meter.is_event, metadata=True)
        .session_window(inactivity_gap_ms=task["timeoutMs"])
        .count()
        # By partition: or a session of which nothing more is heard is never closed at all.
        .final(closing_strategy="partition")
        .to_topic(closes)
    )
    application.run()
    print(json.dumps(meter.cost()), flush=True)


main()
