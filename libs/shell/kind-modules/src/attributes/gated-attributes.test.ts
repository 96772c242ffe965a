import { describe, expect, test } from '@jest/globals';
import { ManualClock } from '@flatline/base/manual-clock';
import { keyedHash } from '@flatline/oracle';
import { blankEvent, blankLeaseRequest, type DecodeOutcome } from '@flatline/ports/formats';
import { EventFormats } from '@flatline/records/events';
import { RequestFormats } from '@flatline/records/leases';
import { createHmac } from 'node:crypto';
import { gated } from '@flatline/records/gate';
import { attributesOf, hashKeyId } from './attribute-settings.ts';

const KEY = 'a key of sixteen bytes or more';
const reading = { format: 'json', registry: undefined, clock: new ManualClock() } as const;
const hashed = (value: string): string => createHmac('sha256', KEY).update(value).digest('hex').slice(0, 32);

function decoded(
  settings: Parameters<typeof attributesOf>[0],
  attributes: unknown,
): { readonly outcome: DecodeOutcome; readonly names: unknown } {
  const event = blankEvent();
  const bytes = Buffer.from(JSON.stringify({ type: 'click', attributes }));
  const outcome = gated(attributesOf(settings, KEY), new EventFormats(reading)).decode(bytes, 0, bytes.length, event);
  return { outcome, names: event.attributes && [...event.attributes] };
}

describe('attributes of an event', () => {
  const ALL = { page: '/pay', ip: '10.0.0.7', __proto__x: 'p', mail: 'anna@shop.example' };

  test('[E1] get in if they are named, in the order in which they came', () => {
    expect(decoded({ allow: ['mail', 'page', 'other'] }, ALL).names).toEqual([
      ['page', '/pay'],
      ['mail', 'anna@shop.example'],
    ]);
  });

  test('[E1] are none of which none gets in, as of an event without any', () => {
    expect(decoded({ allow: [] }, ALL).names).toBeUndefined();
    expect(decoded({ allow: ['other'] }, ALL).names).toBeUndefined();
  });

  test('[E1] are hashed if they are so named, whether or not they are allowed, too', () => {
    const ip = ['ip', hashed('10.0.0.7')];
    expect(decoded({ allow: ['ip'], hash: ['ip'] }, ALL).names).toEqual([ip]);
    expect(decoded({ allow: [], hash: ['ip'] }, ALL).names).toEqual([ip]);
    expect(decoded({ hash: ['ip'] }, ALL).names).toEqual(
      Object.entries(ALL).map(([name, value]) => (name === 'ip' ? ip : [name, value])),
    );
  });

  test('[E1] are hashed as anyone with the key can, whatever their text', () => {
    for (const value of ['', 'é', '😀', '\u0000', 'x'.repeat(5_000)]) {
      expect(decoded({ hash: ['v'] }, { v: value }).names).toEqual([['v', hashed(value)]]);
      expect(keyedHash(KEY)(value)).toBe(hashed(value));
    }
  });

  test('[E1][I3] names are any', () => {
    const hostile = JSON.parse('{"__proto__":"a","constructor":"b"}') as unknown;
    expect(decoded({ allow: ['constructor'] }, hostile).names).toEqual([['constructor', 'b']]);
    expect(decoded({ allow: ['__proto__'] }, hostile).names).toEqual([['__proto__', 'a']]);
  });

  test('[E1][I1] of a record that is refused are not quoted, since logs tell of it', () => {
    const { outcome } = decoded({ allow: ['page'] }, { page: '/', secret: { number: 'DE12 3456' } });
    expect(outcome).toMatchObject({ kind: 'bad', reason: 'invalid-attributes' });
    expect(JSON.stringify(outcome)).not.toMatch(/DE12|secret/);
    const event = blankEvent();
    const broken = Buffer.from('{"attributes":{"mail":"anna@sh');
    const found = gated(attributesOf({ allow: [] }, undefined), new EventFormats(reading));
    expect(JSON.stringify(found.decode(broken, 0, broken.length, event))).not.toContain('anna');
  });

  test('[E1] the same holds of a request for a lease', () => {
    const request = blankLeaseRequest();
    const bytes = Buffer.from('{"type":"STARTED","requestId":"r","attributes":{"by":"anna","pid":"7"}}');
    gated(attributesOf({ allow: ['pid'], hash: ['by'] }, KEY), new RequestFormats(reading)).decode(
      bytes,
      0,
      bytes.length,
      request,
    );
    expect([...request.attributes!]).toEqual([
      ['by', hashed('anna')],
      ['pid', '7'],
    ]);
  });

  test('[E1] the decoder is the same one where nothing is said', () => {
    const formats = new EventFormats(reading);
    expect(gated(undefined, formats)).toBe(formats);
  });

  test('an id tells keys apart', () => {
    expect(hashKeyId(KEY)).toMatch(/^[0-9a-f]{8}$/);
    expect(hashKeyId(KEY)).not.toBe(hashKeyId(`${KEY} `));
  });
});
