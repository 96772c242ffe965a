// Cron expressions by seed, most of which name times around a change of daylight saving time.
import type { Random } from '@flatline/base';
import { oneOf } from '@flatline/lab-kinds';

const WEEKDAYS = ['SUN', 'MON', 'tue', 'Wed', 'THU', 'FRI', 'SAT'];
const MONTHS = ['JAN', 'FEB', 'MAR', 'apr', 'May', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];

/** `hour`: named by many of them. */
export function drawnCron(random: Random, hour: number): string {
  const fields = [
    random.chance(0.8) ? String(oneOf(random, [0, 15, 30, 45])) : items(random, 0, 59),
    hours(random, hour),
    random.chance(0.6) ? '*' : days(random),
    random.chance(0.8) ? '*' : items(random, 1, 12, MONTHS),
    random.chance(0.7) ? '*' : weekdays(random),
  ];
  if (random.chance(0.15)) fields.unshift(random.chance(0.5) ? String(random.below(60)) : '*/20');
  return fields.join(random.chance(0.1) ? '\t ' : ' ');
}

function hours(random: Random, hour: number): string {
  const draw = random.below(10);
  if (draw < 3) return String(hour);
  if (draw < 4) return '*';
  if (draw < 5) return oneOf(random, ['0-23', '0-11,12-23', '*/1', '*/2,1-23/2', '1-23,0']);
  if (draw < 6) return `*/${1 + random.below(24)}`;
  if (draw < 8) {
    const [from, to] = [Math.max(0, hour - random.below(3)), Math.min(23, hour + random.below(6))];
    return random.chance(0.5) ? `${from}-${to}` : `${from}-${to}/${1 + random.below(4)}`;
  }
  return `${hour},${items(random, 0, 23)}`;
}

function days(random: Random): string {
  const draw = random.below(5);
  if (draw === 0) return 'L';
  if (draw === 1) return `${1 + random.below(31)},L`;
  if (draw === 2) return `*/${1 + random.below(31)}`;
  return random.chance(0.1) ? '?' : items(random, 1, 31);
}

function weekdays(random: Random): string {
  const draw = random.below(5);
  const weekday = oneOf(random, WEEKDAYS);
  if (draw === 0) return `${weekday}#${1 + random.below(5)}`;
  if (draw === 1) return `${random.below(8)}L,${weekday}#${1 + random.below(5)}`;
  if (draw === 2) return `*/${1 + random.below(7)}`;
  if (draw === 3) return oneOf(random, ['FRI-SUN', '5-7', 'MON-FRI', '1-5/2', 'SUN-TUE', 'MON-WED#1', '?']);
  return items(random, 0, 7, WEEKDAYS);
}

function items(random: Random, least: number, most: number, names?: readonly string[]): string {
  const value = (): number => least + random.below(most - least + 1);
  const word = (each: number): string =>
    (names !== undefined && random.chance(0.4) && names[each - least]) || String(each);
  return Array.from({ length: 1 + random.below(3) }, () => {
    const [a, b] = [value(), value()].sort((left, right) => left - right) as [number, number];
    if (random.chance(0.6)) return word(a);
    return random.chance(0.5) ? `${a}-${b}` : `${a}-${b}/${1 + random.below(5)}`;
  }).join();
}
