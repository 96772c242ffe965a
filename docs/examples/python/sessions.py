"""Heartbeats into Flatline's input and summaries out of its output, with confluent-kafka."""

import argparse
import json
from pathlib import Path

from confluent_kafka import Consumer, KafkaException, Producer
from confluent_kafka.schema_registry import SchemaRegistryClient
from confluent_kafka.schema_registry.avro import AvroDeserializer, AvroSerializer
from confluent_kafka.serialization import MessageField, SerializationContext

EVENT_SCHEMA = Path(__file__).parents[3] / "schemas" / "session-event.avsc"


def beat(brokers: str, topic: str, keys: list[str], registry: str | None) -> None:
    producer = Producer(
        {
            "bootstrap.servers": brokers,
            # Not librdkafka's default: all producers of an input have to agree on the partition of a key.
            "partitioner": "murmur2_random",
            "enable.idempotence": True,
        }
    )
    event = {"type": "VIEW", "attributes": {"page": "/cart"}}
    if registry is None:
        value = json.dumps(event).encode()
    else:
        serialize = AvroSerializer(SchemaRegistryClient({"url": registry}), EVENT_SCHEMA.read_text())
        value = serialize(event, SerializationContext(topic, MessageField.VALUE))

    def delivered(error, message) -> None:
        if error is not None:
            raise KafkaException(error)
        print(message.key().decode(), message.partition())

    for key in keys:
        # An empty value is a heartbeat too, the cheapest one.
        producer.produce(topic, key=key, value=value, on_delivery=delivered)
    producer.flush()


def closed(brokers: str, topic: str, count: int, registry: str | None) -> None:
    consumer = Consumer(
        {
            "bootstrap.servers": brokers,
            "group.id": f"example-python-{topic}",
            "isolation.level": "read_committed",
            "auto.offset.reset": "earliest",
            "enable.auto.commit": False,
        }
    )
    deserialize = json.loads
    if registry is not None:
        avro = AvroDeserializer(SchemaRegistryClient({"url": registry}))
        context = SerializationContext(topic, MessageField.VALUE)
        deserialize = lambda value: avro(value, context)  # noqa: E731
    consumer.subscribe([topic])
    while count > 0:
        message = consumer.poll(1.0)
        if message is None:
            continue
        if message.error() is not None:
            raise KafkaException(message.error())
        # A null after the summary: nothing more will come for this incarnation.
        if message.value() is not None:
            summary = deserialize(message.value())
            print(summary["sessionId"], summary["reason"])
            count -= 1
        # After what was done with it: a summary may come twice, and `incarnation` tells.
        consumer.commit(message)
    consumer.close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--avro", metavar="REGISTRY")
    commands = parser.add_subparsers(dest="command", required=True)
    for name, what in (("beat", "keys"), ("closed", "count")):
        command = commands.add_parser(name)
        command.add_argument("brokers")
        command.add_argument("topic")
        command.add_argument(what, nargs="+" if what == "keys" else None, type=str if what == "keys" else int)
    given = parser.parse_args()
    if given.command == "beat":
        beat(given.brokers, given.topic, given.keys, given.avro)
    else:
        closed(given.brokers, given.topic, given.count, given.avro)
