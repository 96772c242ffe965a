// Sends the lines of a table as data of their keys (docs/recipes/files.md): CSV with a head, or one JSON object a line.
//
//   node load.js BROKERS TOPIC FILE KEY
//   node load.js 127.0.0.1:9092 stores stores.csv store
import { connect } from '@flatline/client';
import { createReadStream } from 'node:fs';
import process from 'node:process';
import { createInterface } from 'node:readline';

const [brokers, topic, file, keyField] = process.argv.slice(2);
if (keyField === undefined) throw new Error('usage: node load.js BROKERS TOPIC FILE KEY');
const isCsv = file.endsWith('.csv');

/** The fields of a line of CSV (RFC 4180), of which none holds a line break. */
function fieldsOf(line) {
  const fields = [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^",]*))(?=,|$)/g)];
  if (fields.reduce((length, [text]) => length + text.length, 0) !== line.length) throw new Error('is no CSV');
  return fields.map(([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain);
}

/** Each line as its key and its other fields; what is empty or null is none. */
async function* rows() {
  let head;
  let number = 0;
  for await (const line of createInterface({ input: createReadStream(file), crlfDelay: Infinity })) {
    number += 1;
    try {
      if (line === '') continue;
      if (isCsv && head === undefined) {
        head = fieldsOf(line);
        continue;
      }
      const row = isCsv ? fieldsOf(line).map((value, i) => [head[i], value]) : Object.entries(JSON.parse(line));
      if (isCsv && row.length !== head.length) throw new Error(`has ${row.length} fields, its head ${head.length}`);
      const { [keyField]: key, ...others } = Object.fromEntries(
        row.filter(([, value]) => value !== null && value !== ''),
      );
      if (key === undefined) throw new Error(`has no ${keyField}`);
      const texts = Object.entries(others).map(([name, value]) => [
        name,
        typeof value === 'string' ? value : JSON.stringify(value),
      ]);
      yield { key: String(key), attributes: Object.fromEntries(texts) };
    } catch (error) {
      throw new Error(`line ${number} of ${file}: ${error.message}`, { cause: error });
    }
  }
}

// Once for nothing but its faults.
let count = 0;
for (const all = rows(); !(await all.next()).done;) count += 1;
const client = connect({ brokers: brokers.split(',') });
const data = await client.heartbeats({ topic });
for await (const { key, attributes } of rows()) await data.event(key, { type: 'ROW', attributes });
await data.flush();
await client.close();
process.stdout.write(`${count} lines are in ${topic}\n`);
