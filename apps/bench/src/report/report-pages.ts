// A measurement as files for the documentation: a page, its charts, every figure. Pure.
import type { BenchmarkReport } from '../benchmark.ts';
import type { MachineLoad } from '../machine.ts';
import { barChart } from './bar-chart.ts';

export interface Page {
  readonly file: string;
  readonly content: string;
}

export interface Measured {
  readonly benchmark: string;
  readonly description: string;
  /** What to type to measure the same. */
  readonly command: string;
  /** Processors, system, versions. */
  readonly surroundings: string;
  /** Day of the measurement, as in 2026-01-31. */
  readonly day: string;
  /** While nothing of it ran: what else the machine did. */
  readonly before: MachineLoad;
  readonly after: MachineLoad;
  readonly report: BenchmarkReport;
}

export function reportPages(measured: Measured): readonly Page[] {
  const { benchmark, description, command, surroundings, day, before, after, report } = measured;
  const charts = (report.charts ?? []).map((chart) => ({
    ...{ file: `${benchmark}-${chart.name}.svg`, content: barChart(chart), title: chart.title },
  }));
  const page = [
    `# Benchmark: ${benchmark}`,
    `${capitalized(description)}.`,
    `Measured on ${day} with \`${command}\` on ${surroundings}. ${busyText(before, after)}`,
    ...charts.map(({ file, title }) => `![${title}](${file})`),
    `\`\`\`text\n${report.text}\n\`\`\``,
    `Every figure: [${benchmark}.json](${benchmark}.json).`,
  ];
  const figures = { benchmark, command, surroundings, day, before, after, ...report.figures };
  return [
    { file: `${benchmark}.md`, content: `${page.join('\n\n')}\n` },
    { file: `${benchmark}.json`, content: `${JSON.stringify(figures, undefined, 2)}\n` },
    ...charts.map(({ file, content }) => ({ file, content })),
  ];
}

function busyText(before: MachineLoad, after: MachineLoad): string {
  const percent = ({ busyShare }: MachineLoad): string => `${(100 * busyShare).toFixed(0)} %`;
  return `Other things kept ${percent(before)} of its processors busy before the run, ${percent(after)} after it.`;
}

function capitalized(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
