// The alerts that operators get, with every `for`, range and offset a twentieth, so that a test sees in seconds what takes minutes
// otherwise. Bounds stay what they are, no rule is left out, and the text is that of `alerts.yaml`, whose durations are minutes or
// hours.
import { readFileSync } from 'node:fs';

/** Alerts that a busy machine alone would raise in seconds: a process that is not heard is a quarter as long not heard. */
const LESS = /^- alert: Flatline(?:Absent|InstanceDown|PartitionWaits|ProbeStuck|OwnerSilent)\b/;
const HASTE = 20;
const LESS_HASTE = 4;
const SECONDS: Readonly<Record<string, number>> = { m: 60, h: 3_600 };
const ALERTS = new URL('../../../../infra/helm/flatline/alerts.yaml', import.meta.url);

/** Alerts of the chart as `text`, hastened. */
export function hastened(text: string = readFileSync(ALERTS, 'utf8')): string {
  return text
    .split(/(?=- alert: )/)
    .map((rule) => sooner(rule, LESS.test(rule) ? LESS_HASTE : HASTE))
    .join('');
}

function sooner(rule: string, haste: number): string {
  return rule.replace(
    /(\bfor: |\[|\boffset )(\d+)([mh])\b/g,
    (_, before: string, amount: string, unit: string) => `${before}${(Number(amount) * SECONDS[unit]!) / haste}s`,
  );
}
