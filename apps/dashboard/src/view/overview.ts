// Counts, rates, what ended and how late it was seen; by instance where there are several.
import { h, type ComponentChild } from 'preact';
import type { DelayBin } from '../model/facts.ts';
import { delayFinding, liveFinding, reasonFinding } from '../model/findings.ts';
import { delayBound, ratesOf, reasonsOf, recentDelays } from '../model/samples.ts';
import { duration, number, rate } from '../model/words.ts';
import { Bars } from './bars.ts';
import { Instances } from './instances.ts';
import { LineChart } from './line-chart.ts';
import type { TabProps } from './tab-props.ts';
import { facts, history } from './state.ts';

export function Overview({ name, pipeline }: TabProps): ComponentChild {
  const figures = facts.figures(name).map(([, each]) => each);
  const samples = history.value;
  const [rates, reasons, delays] = [ratesOf(samples), reasonsOf(figures), recentDelays(samples)];
  const last = samples.at(-1);
  return h(
    'div',
    { class: 'board' },
    h('h2', { class: 'unseen' }, `Overview of ${name}`),
    h(
      'dl',
      { class: 'figures' },
      figure('live', `Live ${pipeline.noun}s`, number(last?.live ?? 0)),
      figure('records', 'Records a second', rate(rates?.recordsPerS)),
      figure('closes', 'Ends a second', rate(rates?.closesPerS)),
      figure('delay', 'Close delay, 99 of 100', duration(delayBound(delays.bins, 0.99))),
    ),
    h(LineChart, {
      finding: liveFinding(samples.map(({ live }) => live)),
      samples: samples.map(({ atMs, live }) => [(atMs - last!.atMs) / 1_000, live] as const),
      unit: `Live ${pipeline.noun}s`,
    }),
    h(Bars, { finding: reasonFinding(reasons), head: ['Reason', 'Ended'], rows: reasons }),
    h(Bars, { finding: delayFinding(delays), head: ['Close delay', 'Closes'], rows: delays.bins.map(delayRow) }),
    h(Instances, { name, pipeline }),
  );
}

function delayRow([upToMs, count]: DelayBin): readonly [string, number] {
  return [upToMs === null ? 'longer' : `up to ${duration(upToMs)}`, count];
}

function figure(id: string, name: string, value: string): ComponentChild {
  return h('div', { class: 'figure' }, h('dt', null, name), h('dd', { id }, value));
}
