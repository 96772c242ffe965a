#!/usr/bin/env bash
# Heartbeats into Flatline's input and summaries out of its output, with kcat.
set -euo pipefail

usage='beat BROKERS TOPIC KEY... | closed BROKERS TOPIC COUNT'
[ $# -ge 4 ] || { echo "$usage" >&2; exit 2; }
command=$1 brokers=$2 topic=$3
shift 3

case $command in
  beat)
    # Not librdkafka's default: all producers of an input have to agree on the partition of a key.
    for key in "$@"; do
      printf '%s\t{"type":"VIEW","attributes":{"page":"/cart"}}\n' "$key" |
        kcat -P -b "$brokers" -t "$topic" -K '\t' -X partitioner=murmur2_random -X enable.idempotence=true
      kcat -C -b "$brokers" -t "$topic" -o beginning -e -q -f '%k %p\n' | awk -v key="$key" '$1 == key && !seen++'
    done
    ;;
  closed)
    # A null follows each summary (nothing more will come for this incarnation): two records for each session.
    kcat -C -b "$brokers" -t "$topic" -o beginning -c "$((2 * $1))" -q -X isolation.level=read_committed -f '%s\n' |
      sed -n 's/.*"sessionId":"\([^"]*\)".*"reason":"\([A-Z_]*\)".*/\1 \2/p'
    ;;
  *)
    echo "$command: $usage" >&2
    exit 2
    ;;
esac
