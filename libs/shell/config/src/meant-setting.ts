// Tells what was meant by a setting that there is not.
import { didYouMean } from '@flatline/base';
import { settingName, settingsAt } from './known-settings.ts';

type Path = readonly PropertyKey[];

/** Names that people bring along from other software, and settings that are flags here. */
const CALLED: ReadonlyMap<string, string> = new Map([
  ['bootstrap.servers', 'brokers'],
  ['bootstrapServers', 'brokers'],
  ['application.id', 'application'],
  ['group.id', 'application'],
  ['groupId', 'application'],
  ['num.standby.replicas', 'pipelines[].standbys'],
  ['partitions', '--partitions of flatline topics create'],
  ['workers', '--workers of flatline run'],
]);

/** Goes on behind "no such setting". */
export function meantBy(key: string, path: Path, root: unknown): string {
  const called = CALLED.get(key);
  return (
    elsewhere(key, path, root) ??
    (called === undefined ? didYouMean(key, settingsAt(path, root)) : `; it is ${called} here`)
  );
}

/** The same name a level deeper, as `format` of input and output, or in a section around it. */
function elsewhere(key: string, path: Path, root: unknown): string | undefined {
  const places = settingsAt(path, root).flatMap((section) => placesIn(section, key, path, root));
  if (places.length > 0) return ` here; there is ${places.join(' and ')}`;
  const around = path.findLastIndex((_part, i) => settingsAt(path.slice(0, i), root).includes(key));
  if (around < 0) return undefined;
  return around === 0
    ? ' here; it is one of the process, and stands beside "application"'
    : ` here; there is ${settingName([...path.slice(0, around), key])}`;
}

/** In a list of sections, those of its first element. */
function placesIn(section: string, key: string, path: Path, root: unknown): string[] {
  if (settingsAt([...path, section], root).includes(key)) return [`${section}.${key}`];
  return settingsAt([...path, section, 0], root).includes(key) ? [`${section}[].${key}`] : [];
}
