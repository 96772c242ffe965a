import { InvalidArgumentError } from 'commander';

/** A name that is safe unquoted; the sink checks it again. */
export function tableOption(text: string): string {
  if (/^([a-z_][a-z0-9_]{0,44}\.)?[a-z_][a-z0-9_]{0,44}$/.test(text)) return text;
  throw new InvalidArgumentError(
    'It must be up to 45 of a-z, 0-9 and _, no digit first, with a schema and a dot before it where that is not public.',
  );
}
