import { expect, test } from '@jest/globals';
import { inodesTo } from './connections.ts';

const TABLE = `
  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:99A1 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 11 1 0 100 0 0 10 0
   1: 0100007F:B2C4 0100007F:99A1 01 00000000:00000000 00:00000000 00000000     0        0 12 1 0 20 4 30 10 -1
   2: 0100007F:99A1 0100007F:B2C4 01 00000000:00000000 00:00000000 00000000     0        0 13 1 0 20 4 30 10 -1
   3: 0100007F:B2C6 0100007F:99A1 06 00000000:00000000 00:00000000 00000000     0        0 0 1 0 20 4 30 10 -1
`;

test('connections to a port are those established from the other side: no listener, no server, none that is closing', () => {
  expect(inodesTo([0x99a1], TABLE)).toEqual(['12']);
  expect(inodesTo([0x99a2], TABLE)).toEqual([]);
});
