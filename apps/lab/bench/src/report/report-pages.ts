// A measurement as files for the documentation: a page, its charts, all figures. Pure.
import type { BenchmarkReport } from '../benchmark.ts';
import { isBusy, type Machine, type MachineLoad, machineText } from '../machine.ts';
import { type Yardstick, yardstickText } from '../yardstick.ts';
import { barChart } from './bar-chart.ts';

export interface Page {
  readonly file: string;
  readonly content: string;
}

/** Other load on the machine, and its speed. */
export interface Surroundings {
  readonly load: MachineLoad;
  readonly yardstick: Yardstick;
}

/** Turns behind a median that may be quoted elsewhere. */
const REPEATS_MIN = 3;

/** As processor/watching.ts configures it. */
const DEFAULTS_LEFT =
  'Flatline ran with its defaults, but for what the text names, for `unheardMs: 0` of sessions ' +
  '([what it costs](../OPERATIONS.md#what-an-outage-does), with timeouts as short as those of probes, would be measured), ' +
  'and for `input.partitioner: "any"`, since loads choose partitions themselves.';

export interface Measured {
  readonly benchmark: string;
  readonly description: string;
  /** Command that repeats the measurement. */
  readonly command: string;
  readonly machine: Machine;
  /** Day of the measurement, as in 2026-01-31. */
  readonly day: string;
  /** The surroundings before it ran. */
  readonly before: Surroundings;
  readonly after: Surroundings;
  readonly report: BenchmarkReport;
}

export function reportPages(measured: Measured): readonly Page[] {
  const { benchmark, description, command, machine, day, before, after, report } = measured;
  const charts = (report.charts ?? []).map((chart) => ({
    file: `${benchmark}-${chart.name}.svg`,
    content: barChart(chart),
    title: chart.title,
  }));
  const surroundings = [machineText(machine), ...(report.versions ?? [])].join(', ');
  const page = [
    `# Benchmark: ${benchmark}`,
    `${capitalized(description)}.`,
    `Measured on ${day} with \`${command}\` on ${surroundings}.${turnsText(report.repeats)} ${busyText(before, after)}`,
    yardsticksText(before, after),
    ...caveat(measured),
    ...charts.map(({ file, title }) => `![${title}](${file})`),
    `\`\`\`text\n${report.text}\n\`\`\``,
    DEFAULTS_LEFT,
    `Every figure: [${benchmark}.json](${benchmark}.json).`,
  ];
  const figures = { benchmark, command, surroundings, day, before, after, ...report.figures };
  return [
    { file: `${benchmark}.md`, content: `${page.join('\n\n')}\n` },
    { file: `${benchmark}.json`, content: `${JSON.stringify(figures, undefined, 2)}\n` },
    ...charts.map(({ file, content }) => ({ file, content })),
  ];
}

function turnsText(repeats: number | undefined): string {
  return repeats === undefined || repeats < REPEATS_MIN ? '' : ` Medians of ${repeats} turns.`;
}

/** Reasons why no figure of it may be quoted elsewhere; empty if they may. */
function caveat({ machine, before, after, report: { repeats } }: Measured): readonly string[] {
  const reasons = [
    ...(machine.isDirty ? ['files had been changed since the commit'] : []),
    ...(repeats !== undefined && repeats < REPEATS_MIN
      ? [`${repeats === 1 ? 'one turn' : `${repeats} turns`}, where a median of at least ${REPEATS_MIN} is asked`]
      : []),
    ...([before, after].some(({ load }) => isBusy(load)) ? ['the machine was busy with other things'] : []),
  ];
  return reasons.length === 0 ? [] : [`**Not to be quoted: ${reasons.join('; ')}.**`];
}

function busyText(before: Surroundings, after: Surroundings): string {
  const percent = ({ load: { busyShare } }: Surroundings): string => `${(100 * busyShare).toFixed(0)} %`;
  const average = ({ load: { loadAverage } }: Surroundings): string => loadAverage.toFixed(1);
  return (
    `Other things kept ${percent(before)} of its processors busy before the run, ${percent(after)} after it ` +
    `(load averages ${average(before)}, ${average(after)}).`
  );
}

function yardsticksText(before: Surroundings, after: Surroundings): string {
  return (
    `The yardstick, a fixed piece of work on one thread: ${yardstickText(before.yardstick)} before the run, ` +
    `${yardstickText(after.yardstick)} after it. Divide seconds by it before comparing them with another occasion's.`
  );
}

function capitalized(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
