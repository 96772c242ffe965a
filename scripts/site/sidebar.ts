// The side of every page of the site, in the order in which one would read it. Files of the repository, by path.

export interface Group {
  readonly title: string;
  readonly pages: readonly (readonly [title: string, source: string])[];
}

const KINDS = 'Kinds';

/** Written at build time from the command's own help; no file of the repository. */
export const COMMANDS_PAGE = 'docs/COMMANDS.md';

const SIDEBAR: readonly Group[] = [
  {
    title: 'Start',
    pages: [
      ['What it is, and five minutes', 'README.md'],
      ['Clock and proof', 'docs/CLOCK-AND-PROOF.md'],
      ['How it is built', 'docs/ARCHITECTURE.md'],
      ['The rules', 'docs/SPEC.md'],
    ],
  },
  {
    title: KINDS,
    pages: [
      ['Sessions: presets', 'docs/PRESETS.md'],
      ['Sessions: data after the close', 'docs/REVISIONS.md'],
      ['Sessions: reducers', 'docs/REDUCERS.md'],
      ['Leases', 'docs/LEASES.md'],
      ['Debounce', 'docs/DEBOUNCE.md'],
      ['Schedules', 'docs/SCHEDULES.md'],
    ],
  },
  {
    title: 'Use it',
    pages: [
      ['Examples', 'docs/examples/README.md'],
      ['Recipes', 'docs/recipes/README.md'],
      ['Routes', 'docs/ROUTES.md'],
      ['Push', 'docs/PUSH.md'],
      ['Webhooks', 'docs/WEBHOOKS.md'],
      ['Sinks', 'docs/SINKS.md'],
      ['SDK', 'libs/shell/client/package/README.md'],
      ['Testing against Flatline', 'docs/TESTING.md'],
    ],
  },
  {
    title: 'Look up',
    pages: [
      ['Configuration', 'docs/CONFIGURATION.md'],
      ['Commands and exit codes', COMMANDS_PAGE],
      ['Metrics', 'docs/METRICS.md'],
      ['Formats', 'docs/FORMATS.md'],
      ['API of flatline', 'docs/api/flatline.md'],
      ['API of flatline/testing', 'docs/api/testing.md'],
      ['API of @flatline/client', 'docs/api/client.md'],
      ['Changes', 'CHANGELOG.md'],
    ],
  },
  {
    title: 'Run it',
    pages: [
      ['Operations', 'docs/OPERATIONS.md'],
      ['Runbooks', 'docs/RUNBOOKS.md'],
      ['Dashboard', 'docs/DASHBOARD.md'],
      ['Two sites', 'docs/TWO-SITES.md'],
      ['Capacity', 'docs/CAPACITY.md'],
    ],
  },
  {
    title: 'Judge it',
    pages: [
      ['Beside others, and when not', 'docs/COMPARISONS.md'],
      ['Performance', 'docs/PERFORMANCE.md'],
      ['Faults on a real broker', 'docs/chaos-report.md'],
      ['Decisions', 'docs/adr/README.md'],
      ['Hacking', 'docs/HACKING.md'],
      ['Style', 'docs/STYLE.md'],
    ],
  },
];

/** With the guides that `spec` (docs/SPEC.md) names and no group has, among the kinds: a new kind needs no line here. */
export function sidebar(spec: string): readonly Group[] {
  const placed = new Set(SIDEBAR.flatMap(({ pages }) => pages.map(([, source]) => source)));
  const guides = spec.split(/^## [A-Z] — /m).flatMap((section): (readonly [string, string])[] => {
    const [heading = ''] = section.split('\n');
    const [, named = ''] = /^Guide: (.*)$/m.exec(section) ?? [];
    return [...named.matchAll(/\]\(([A-Z-]+\.md)\)/g)].map(([, page]) => [heading, `docs/${page!}`]);
  });
  const added = guides.filter(([, source]) => !placed.has(source));
  return SIDEBAR.map((group) => (group.title === KINDS ? { ...group, pages: [...group.pages, ...added] } : group));
}
