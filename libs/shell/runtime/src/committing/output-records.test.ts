import { describe, expect, test } from '@jest/globals';
import { ReusedMemory } from '@flatline/base';
import type { TaskCut } from '@flatline/partition';
import { PackedWrite, RecordPacker, ROUTE_HEADER } from '@flatline/ports';
import type { PipelineSettings } from '../settings.ts';
import { transactionOf } from './output-records.ts';

const OWN_PARTITION = 3;
const SETTINGS = { group: 'g', outputTopic: 'out', changelogTopic: 'log', deadLetterTopic: 'dead', inputTopic: 'in' };

type Place = TaskCut['outputs']['places'][number]['to'];

/** Outputs in this order, each to one of these places: as the transaction of the seventh commit has them. */
function writesOf(places: readonly Place[], order: readonly number[]) {
  const packer = new RecordPacker(new ReusedMemory(0));
  const headers = [{ name: 'h', value: Uint8Array.of(1) }];
  order.forEach((place, at) => packer.add({ key: null, value: Uint8Array.of(at), headers }, place));
  const counted = places.map((to, place) => ({ to, count: order.filter((each) => each === place).length }));
  const outputs: Pick<TaskCut['outputs'], 'packed' | 'places'> = { packed: packer.takeAll(), places: counted };
  const cut = { outputs, blocks: [], deadLetters: [], header: { sequence: 7, inputs: [] } };
  return transactionOf(cut as unknown as TaskCut, OWN_PARTITION, SETTINGS as PipelineSettings).writes;
}

function shown(writes: ReturnType<typeof writesOf>): Record<string, string[]> {
  const all = writes.map(({ topic, partition, records }) => {
    const texts = records.map(({ value, headers = [] }) => {
      const route = headers.find(({ name }) => name === ROUTE_HEADER)?.value;
      return `${value![0]}${route ? ` ${new TextDecoder().decode(route)}` : ''}`;
    });
    return [`${topic}/${partition}`, texts] as const;
  });
  return Object.fromEntries(all);
}

describe('outputs of a commit', () => {
  const routed = [{}, { topic: 't', partition: 0 }, { topic: 't', partition: 1 }, { topic: 'stats' }];

  test('[P3] what routes have made is named in the order in which it was decided, across partitions', () => {
    expect(shown(writesOf(routed, [0, 2, 0, 1, 3, 0, 2]))).toEqual({
      'out/3': ['0', '2', '5'],
      't/0': ['3 g/3/7/1'],
      't/1': ['1 g/3/7/0', '6 g/3/7/2'],
      'stats/3': ['4'],
    });
  });

  test('CC2 [P3] others beside it stay bytes: no object is made of each in the turn of the cut', () => {
    const writes = writesOf(routed, [0, 2, 0, 1, 3]);
    expect(writes.map((write) => [write.topic, write instanceof PackedWrite])).toEqual([
      ['out', true],
      ['t', false],
      ['t', false],
      ['stats', true],
    ]);
  });

  test('[P3][O4] what is for one partition stays in order, whatever it is called', () => {
    const places = [{}, { topic: 'out' }, { topic: 'out', partition: OWN_PARTITION }, { topic: 'out', partition: 0 }];
    expect(shown(writesOf(places, [0, 2, 1, 3, 0]))).toEqual({
      'out/3': ['0', '1 g/3/7/0', '2', '4'],
      'out/0': ['3 g/3/7/1'],
    });
  });
});
