// Apache's common and combined log formats (httpd documentation, mod_log_config):
//   %h %l %u %t "%r" %>s %b            and, combined,            "%{Referer}i" "%{User-agent}i"
//
// Address and time make the record. A damaged rest (logs hold lines that were cut off) costs its fields, not the record.
import type { Millis } from '@flatline/base';
import { badLine, type ParsedLine } from './source-record.ts';

const START = /^(\S+) (\S+) (.+?) \[([^\]]{1,40})\](.*)$/;
const quoted = String.raw`"((?:[^"\\]|\\.)*)"`;
/** The last field may have lost its closing quote. */
const rest = new RegExp(String.raw`^ ${quoted} (\d{3}) (\d+|-)(?: ${quoted} "((?:[^"\\]|\\.)*)"?)?\s*$`);
const STAMP = /^(\d{2})\/([A-Z][a-z]{2})\/(\d{4}):(\d{2}):(\d{2}):(\d{2}) ([+-])(\d{2})(\d{2})$/;
const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const fieldNames = ['user', 'request', 'status', 'bytes', 'referer', 'userAgent'];

/** One line of an access log: the key is the client's address, `-` fields are absent. */
export function parseAccessLine(text: string): ParsedLine {
  const match = START.exec(text);
  if (match === null) return badLine('is not in the common or combined log format');
  const [, host = '', , user, time = '', tail = ''] = match;
  const timestamp = parseAccessTime(time);
  if (timestamp === undefined) return badLine(`has no valid time in [${time}]`);
  const [, request, status, bytes, referer, agent] = rest.exec(tail) ?? [];
  const fields = new Map<string, unknown>();
  [user, request, status, bytes, referer, agent].forEach((value, index) => {
    if (value !== undefined && value !== '-') fields.set(fieldNames[index]!, unescapeQuoted(value));
  });
  return { kind: 'record', record: { key: host, timestamp, fields } };
}

/** `17/May/2015:10:05:03 +0000`; undefined where it is not a time that exists. */
export function parseAccessTime(text: string): Millis | undefined {
  const match = STAMP.exec(text);
  if (match === null) return undefined;
  const month = months.indexOf(match[2]!);
  const [day, year, hour, minute, second, zoneHour, zoneMinute] = [1, 3, 4, 5, 6, 8, 9].map((group) =>
    Number(match[group]),
  ) as [number, number, number, number, number, number, number];
  if (month < 0 || hour > 23 || minute > 59 || second > 60 || zoneHour > 23 || zoneMinute > 59) return undefined;
  // setUTCFullYear, because Date.UTC takes years below 100 for the twentieth century.
  const date = new Date(0);
  date.setUTCFullYear(year, month, day);
  if (date.getUTCDate() !== day || date.getUTCMonth() !== month) return undefined;
  const zoneMs = (match[7] === '-' ? -1 : 1) * (zoneHour * 60 + zoneMinute) * 60_000;
  return date.getTime() + ((hour * 60 + minute) * 60 + second) * 1000 - zoneMs;
}

/** httpd writes a quote in a quoted field as `\"` and a backslash as `\\`. */
function unescapeQuoted(text: string): string {
  return text.replaceAll(/\\(["\\])/g, '$1');
}
