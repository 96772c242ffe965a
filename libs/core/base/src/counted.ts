// Amounts in messages, so that every program says them alike.
const thousands = new Intl.NumberFormat('en-US');

/** Thousands separated by commas. */
export function count(value: number): string {
  return thousands.format(value);
}

/** `1 record`, `1,204 records`; for nouns whose plural only adds an s. */
export function counted(value: number, noun: string): string {
  return `${count(value)} ${plural(value, noun)}`;
}

/** The noun as it follows a number that is written apart from it, in a column of its own. */
export function plural(value: number, noun: string): string {
  return value === 1 ? noun : `${noun}s`;
}
