// Rows of docs/CONFIGURATION.md, out of the form itself.
import { KIND_NAMES, type KindName } from '@flatline/base';
import { z } from 'zod';
import { DURATION_MAX_MS, SETTING_WORDS, type SettingWords, unitByName } from './form/setting.ts';
import { kindOf } from './index.ts';

export interface SettingRow {
  readonly setting: string;
  /** As JSON; `required` and `none` are words. */
  readonly default: string;
  readonly allowed: string;
  readonly meaning: string;
}

/** As much of JSON Schema as zod writes of a setting. */
interface Written extends Partial<SettingWords> {
  readonly default?: unknown;
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
}

/** Settings of a kind, each once: what it shares with one before it is told of there. */
export function settingRows(kind: KindName): SettingRow[] {
  const before = KIND_NAMES.slice(0, KIND_NAMES.indexOf(kind)).flatMap((each) => Object.keys(formOf(each).properties));
  const { properties, required } = formOf(kind);
  return Object.entries(properties).flatMap(([setting, written]) =>
    written.meaning === undefined || before.includes(setting)
      ? []
      : [{ setting, meaning: written.meaning, ...cellsOf(setting, written, required.includes(setting)) }],
  );
}

function formOf(kind: KindName): {
  readonly properties: Readonly<Record<string, Written>>;
  readonly required: readonly string[];
} {
  return z.toJSONSchema(kindOf({ kind }).form, { io: 'input', metadata: SETTING_WORDS }) as ReturnType<typeof formOf>;
}

/** Default and bounds, as the page has them. */
export function cellsOf(
  setting: string,
  { enum: values, minimum, maximum, unit = unitByName(setting), default: byDefault }: Written,
  isRequired: boolean,
): Pick<SettingRow, 'default' | 'allowed'> {
  const bounds = maximum === DURATION_MAX_MS ? `≥ ${minimum}` : `${minimum} … ${maximum}`;
  const range = minimum === undefined ? '' : [bounds, unit].filter(Boolean).join(' ');
  return {
    default: byDefault === undefined ? (isRequired ? 'required' : 'none') : `\`${JSON.stringify(byDefault)}\``,
    allowed: values?.map((value) => `\`${value}\``).join(', ') ?? range,
  };
}
