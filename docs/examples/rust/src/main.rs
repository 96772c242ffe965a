//! Heartbeats into Flatline's input and summaries out of its output, with rdkafka.

use std::{env, error::Error, time::Duration};

use rdkafka::consumer::{CommitMode, Consumer, StreamConsumer};
use rdkafka::producer::{FutureProducer, FutureRecord};
use rdkafka::{ClientConfig, Message};

type Outcome = Result<(), Box<dyn Error>>;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Outcome {
    let args: Vec<String> = env::args().skip(1).collect();
    match args.as_slice() {
        [command, brokers, topic, keys @ ..] if command == "beat" => beat(brokers, topic, keys).await,
        [command, brokers, topic, count] if command == "closed" => closed(brokers, topic, count.parse()?).await,
        _ => Err("beat BROKERS TOPIC KEY... | closed BROKERS TOPIC COUNT".into()),
    }
}

async fn beat(brokers: &str, topic: &str, keys: &[String]) -> Outcome {
    let producer: FutureProducer = ClientConfig::new()
        .set("bootstrap.servers", brokers)
        // Not librdkafka's default: all producers of an input have to agree on the partition of a key.
        .set("partitioner", "murmur2_random")
        .set("enable.idempotence", "true")
        .create()?;
    for key in keys {
        // An empty payload is a heartbeat too, the cheapest one; none at all would end the session.
        let record = FutureRecord::to(topic)
            .key(key)
            .payload(r#"{"type":"VIEW","attributes":{"page":"/cart"}}"#);
        let delivery = producer.send(record, Duration::from_secs(30)).await.map_err(|(error, _)| error)?;
        println!("{key} {}", delivery.partition);
    }
    Ok(())
}

async fn closed(brokers: &str, topic: &str, mut count: usize) -> Outcome {
    let consumer: StreamConsumer = ClientConfig::new()
        .set("bootstrap.servers", brokers)
        .set("group.id", format!("example-rust-{topic}"))
        .set("isolation.level", "read_committed")
        .set("auto.offset.reset", "earliest")
        .set("enable.auto.commit", "false")
        .create()?;
    consumer.subscribe(&[topic])?;
    while count > 0 {
        let message = consumer.recv().await?;
        // None after the summary: nothing more will come for this incarnation.
        if let Some(payload) = message.payload() {
            let summary: serde_json::Value = serde_json::from_slice(payload)?;
            println!("{} {}", summary["sessionId"].as_str().unwrap_or(""), summary["reason"].as_str().unwrap_or(""));
            count -= 1;
        }
        // After what was done with it: a summary may come twice, and `incarnation` tells.
        consumer.commit_message(&message, CommitMode::Sync)?;
    }
    Ok(())
}
