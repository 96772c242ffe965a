/* global document */
// The formulas of docs/CAPACITY.md, and on its page of the site a form for one's own figures.
const COST = { beatS: 4.9e-6, closeS: 5.5e-6, beatBytes: 11, outputBytes: 700, commitS: 1e-3, liveBytes: 160 };
const RESTORED_PER_S = 1.1e6;
const TRUNCATE_LAG_BYTES = 268_435_456;
/** Bytes of a base beside its key; of a heartbeat in the input likewise. */
const BASE_BYTES = 22;
const RECORD_BYTES = 9;
const CHANGELOG_FACTOR = 4;
const REQUESTS_PER_COMMIT = 5;

/** The page's symbol, its meaning, and the page's own figure. */
const GIVEN = [
  ['S', 'live sessions', 15e6],
  ['H', 'heartbeats a second', 500e3],
  ['C', 'closes a second', 4_000],
  ['K', 'bytes of a key', 36],
  ['P', 'partitions', 32],
  ['T', 'milliseconds between two commits of a partition', 115],
  ['R', 'replicas of each topic', 3],
  ['L', 'share of a core that is planned with', 0.5],
];

/** Bytes and bytes a second, cores, transactions a second, seconds. */
function capacityOf({ S, H, C, K, P, T, R, L }) {
  const base = K + BASE_BYTES;
  const cores = H * COST.beatS + C * COST.closeS + (P * COST.commitS) / (T / 1_000);
  const instances = Math.max(1, Math.ceil(cores / L));
  const changelog = H * COST.beatBytes;
  const output = C * COST.outputBytes;
  const input = H * (K + RECORD_BYTES);
  return {
    cores,
    instances,
    memory: S * COST.liveBytes,
    changelog,
    changelogKept: CHANGELOG_FACTOR * S * base + P * TRUNCATE_LAG_BYTES,
    output,
    network: input + changelog + output + changelog,
    brokerDisk: R * (input + changelog + output),
    commits: P / (T / 1_000),
    requests: (REQUESTS_PER_COMMIT * P) / (T / 1_000),
    restoreS: S / instances / RESTORED_PER_S,
  };
}
globalThis.capacityOf = capacityOf;

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB', 'PB'];
function bytes(count) {
  const power = Math.min(UNITS.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(1, count)) / 3)));
  return `${rounded(count / 1_000 ** power)} ${UNITS[power]}`;
}
function rounded(value) {
  return Number(value.toPrecision(2)).toLocaleString('en', { maximumFractionDigits: 2 });
}

function rows(given) {
  const c = capacityOf(given);
  return [
    ['cores', rounded(c.cores)],
    ['instances of one thread', String(c.instances)],
    ['memory of the sessions; with a standby twice', bytes(c.memory)],
    ['changelog, a second', bytes(c.changelog)],
    ['changelog that is kept, each replica', bytes(c.changelogKept)],
    ['output, a second, not packed', bytes(c.output)],
    ['network of the instances with standbys, a second', bytes(c.network)],
    ['written by the brokers, a second', bytes(c.brokerDisk)],
    ['transactions a second', rounded(c.commits)],
    ['requests a second, at least', rounded(c.requests)],
    ['a clean restart of one instance, to its first close', `${rounded(c.restoreS)} s`],
  ];
}

function element(name, properties = {}, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

function form() {
  const body = element('tbody');
  const inputs = GIVEN.map(([symbol, words, value]) => {
    const input = element('input', { type: 'number', min: '0', step: 'any', value: String(value), name: symbol });
    return [symbol, words, input];
  });
  const show = () => {
    const given = Object.fromEntries(inputs.map(([symbol, , input]) => [symbol, Number(input.value)]));
    // A partition or a core that is not there divides nothing.
    const isWhole = ['P', 'T', 'L'].every((each) => given[each] > 0) && Object.values(given).every((each) => each >= 0);
    const said = isWhole ? rows(given) : [['P, T and L have to be above 0, and none below', '']];
    body.replaceChildren(
      ...said.map(([what, figure]) =>
        element('tr', {}, element('th', { scope: 'row', textContent: what }), element('td', { textContent: figure })),
      ),
    );
  };
  const labels = inputs.map(([symbol, words, input]) => element('label', {}, `${symbol}: ${words} `, input));
  const made = element('form', { id: 'capacity', onsubmit: () => false }, ...labels);
  made.addEventListener('input', show);
  show();
  return [made, element('table', {}, element('caption', { textContent: 'What follows from these figures' }), body)];
}

if (globalThis.document !== undefined) document.querySelector('#what-follows').after(...form());
