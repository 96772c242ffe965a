// The base of the image, distroless' cc-debian12:nonroot, assembled from its parts: packages of Debian 12, unpacked but not
// installed, and a few files.
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, globSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** By distroless' `static/config.bzl`, `base/config.bzl` and `cc/config.bzl`, in this order. */
const PACKAGES: readonly string[] = [
  'base-files',
  'netbase',
  'tzdata',
  'media-types',
  'libc6',
  'libssl3',
  'libgomp1',
  'libstdc++6',
  'libgcc-s1',
  'gcc-12-base',
];
/** Only its certificates are laid. */
const CERTIFICATES = 'ca-certificates';
const NONROOT = 65532;

/** Its weight where it is unavailable: measured for amd64 with the packages of Debian 12.15. */
export const BASE_BYTES = 23_500_000;

/** Lays it into an empty folder, or returns why it cannot. Packages are fetched into `kept`, once. */
export function layBase(into: string, kept: string): string | undefined {
  const release = existsSync('/etc/os-release') ? readFileSync('/etc/os-release', 'utf8') : '';
  if (!/^ID=debian$/m.test(release) || !/^VERSION_ID="12"$/m.test(release)) return 'this is not Debian 12';
  if (!existsSync(kept) && !fetch(kept)) return 'apt-get cannot fetch the packages';
  for (const name of PACKAGES) unpack(kept, name, into);
  unpack(kept, CERTIFICATES, join(into, 'unpacked'));
  writeIn(into, 'etc/ssl/certs/ca-certificates.crt', certificatesIn(join(into, 'unpacked')));
  rmSync(join(into, 'unpacked'), { recursive: true });
  writeIn(
    into,
    'etc/passwd',
    `root:x:0:0:root:/:/sbin/nologin\nnonroot:x:${NONROOT}:${NONROOT}:nonroot:/:/sbin/nologin\n`,
  );
  writeIn(into, 'etc/group', `root:x:0:\nnonroot:x:${NONROOT}:\n`);
  writeIn(into, 'etc/nsswitch.conf', 'hosts: files dns\n');
  chmodSync(join(into, 'tmp'), 0o1777);
  return undefined;
}

function fetch(kept: string): boolean {
  const half = `${kept}.half`;
  rmSync(half, { recursive: true, force: true });
  mkdirSync(half, { recursive: true });
  if (spawnSync('apt-get', ['download', '-qq', ...PACKAGES, CERTIFICATES], { cwd: half }).status !== 0) return false;
  renameSync(half, kept);
  return true;
}

function unpack(kept: string, name: string, into: string): void {
  const [archive] = globSync(`${name}_*.deb`, { cwd: kept });
  const { status, stderr } = spawnSync('dpkg-deb', ['--extract', join(kept, archive ?? name), into], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`cannot unpack ${name}: ${stderr}`);
}

function certificatesIn(folder: string): string {
  const files = globSync('usr/share/ca-certificates/**/*.crt', { cwd: folder }).toSorted();
  return files.map((path) => readFileSync(join(folder, path), 'utf8')).join('');
}

function writeIn(folder: string, path: string, text: string): void {
  mkdirSync(join(folder, path, '..'), { recursive: true });
  writeFileSync(join(folder, path), text);
}
