// Looks up what a REST service knows of each session that opens, and adds it as data (docs/recipes/rest-lookup.md).
//
//   node enrich.js BROKERS OUTPUT DETAILS URL
//   node enrich.js 127.0.0.1:9092 visits visitor-details http://127.0.0.1:8080/visitors/
import { connect } from '@flatline/client';
/* global AbortController, AbortSignal, fetch */
import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';

const CACHED_MAX = 10_000;
const CACHED_MS = 600_000;
const AGAIN_AFTER_MS = 1_000;
const ANSWER_WITHIN_MS = 5_000;

const [brokers, output, details, url] = process.argv.slice(2);
if (url === undefined) throw new Error('usage: node enrich.js BROKERS OUTPUT DETAILS URL');
const ending = new AbortController();
process.once('SIGTERM', () => ending.abort());
process.once('SIGINT', () => ending.abort());

/** By key, in the order in which they were asked for: the oldest goes first. */
const cache = new Map();

async function lookUp(key) {
  const known = cache.get(key);
  if (known !== undefined && Date.now() - known.at < CACHED_MS) return known.attributes;
  const answer = await fetch(url + encodeURIComponent(key), { signal: AbortSignal.timeout(ANSWER_WITHIN_MS) });
  if (!answer.ok && answer.status !== 404) throw new Error(`the service answers ${answer.status}`);
  const found = answer.ok ? await answer.json() : {};
  const attributes = Object.fromEntries(Object.entries(found).map(([name, value]) => [name, String(value)]));
  cache.delete(key);
  cache.set(key, { at: Date.now(), attributes });
  if (cache.size > CACHED_MAX) cache.delete(cache.keys().next().value);
  return attributes;
}

const client = connect({ brokers: brokers.split(',') });
const { signal } = ending;
const data = await client.heartbeats({ topic: details });
for await (const { keyText } of client.summaries({ topic: output, group: 'enricher', states: ['OPENED'], signal })) {
  for (let isDone = false; !isDone && !signal.aborted;) {
    try {
      const attributes = await lookUp(keyText);
      await data.event(keyText, { type: 'DETAILS', attributes });
      await data.flush();
      isDone = true;
      process.stdout.write(`${keyText} ${JSON.stringify(attributes)}\n`);
    } catch (error) {
      process.stderr.write(`${keyText}: ${error.message}; tried again\n`);
      await delay(AGAIN_AFTER_MS);
    }
  }
}
await client.close();
