import { expect, test } from '@jest/globals';
import { withoutCredentials } from './without-credentials.ts';

test.each([
  ['https://user:secret@idp/t', 'https://(not shown)@idp/t'],
  ['https://user:my secret@idp/t', 'https://(not shown)@idp/t'],
  ['https://user:my"sec@ret@idp/t', 'https://(not shown)@idp/t'],
  ['https:user:secret@idp/t', 'https:(not shown)@idp/t'],
  ['kafka://user:secret@h:9092', 'kafka://(not shown)@h:9092'],
  ['user:secret@h:9092', 'user:(not shown)@h:9092'],
  ['https://idp/t', 'https://idp/t'],
  ['me@home', 'me@home'],
  ['127.0.0.1:9092', '127.0.0.1:9092'],
])('[I4] %s is shown as %s', (text, shown) => {
  expect(withoutCredentials(text)).toBe(shown);
});
