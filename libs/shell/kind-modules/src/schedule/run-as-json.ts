// A run as webhooks deliver it: what it says of itself is in its headers, and its value is an application's message, of any bytes.
import { type ReceivedRun, runIn } from '@flatline/records/runs';
import { type ReadAsJson, textOf } from '../output-json.ts';

export const runAsJson: ReadAsJson = ({ key, value, headers }) => {
  const run = runIn(value, headers);
  if (run === undefined) return 'no headers name schedule, run and due instant';
  const { schedule, scheduleId, number, last, dueAt, missed, tz } = run;
  const fields = { schedule, scheduleId, run: number, last, dueAt, missed, tz, key: textOf(key) };
  const around = JSON.stringify(fields).slice(0, -1);
  return { fields, text: `${around},"headers":${headersOf(run)},${messageOf(value)}}` };
};

/** The message as JSON if it is JSON, else as text, else in base64, each under a name of its own. */
function messageOf(value: Uint8Array): string {
  const text = textOf(value);
  if (typeof text !== 'string') return `"valueBase64":${JSON.stringify(text.base64)}`;
  try {
    JSON.parse(text);
    return `"value":${text}`;
  } catch {
    return `"valueText":${JSON.stringify(text)}`;
  }
}

function headersOf({ headers }: ReceivedRun): string {
  return JSON.stringify(headers.map(({ name, value }) => [name, value && textOf(value)]));
}
