// Collects differences between the settings in force, as the last commits of the changelogs state them, and the configuration.
// They are no faults: a processor adopts the configuration when it is next started, and a partition states it with its next commit.
//
// Owns: the differences, each once.
// Does not own: reading the text (RulesInForce).
//
// Invariants
//   ZD1  At most DIFFERENCES_MAX, however many partitions differ.

export interface SettingsDifference {
  readonly setting: string;
  /** As in JSON: null is not set, `"unlimited"` has no bound. */
  readonly inForce: unknown;
  readonly inFile: unknown;
  /** Number of partitions that differ so, and the first of them. */
  readonly partitions: number;
  readonly partition: number;
}

const DIFFERENCES_MAX = 100;

export class SettingsDifferences {
  readonly #found = new Map<string, SettingsDifference>();

  note(partition: number, differences: readonly Pick<SettingsDifference, 'setting' | 'inForce' | 'inFile'>[]): void {
    for (const each of differences) {
      const name = JSON.stringify([each.setting, each.inForce]);
      const former = this.#found.get(name) ?? { ...each, partition, partitions: 0 };
      if (former.partitions === 0 && this.#found.size >= DIFFERENCES_MAX) return;
      this.#found.set(name, { ...former, partitions: former.partitions + 1 });
    }
  }

  all(): readonly SettingsDifference[] {
    return [...this.#found.values()];
  }
}
