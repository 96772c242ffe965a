// A peer whose server and client are programs in Go, of the module in `peers/go`.
import type { PeersAsked } from '../benchmark.ts';
import { type Found, lookUp } from './peer.ts';
import { type PeerName } from './peer-names.ts';
import { goPrograms } from './peer-builds.ts';
import { findProgram } from './programs.ts';

export const LINUX_ONLY = 'its server is measured by /proc: run it on Linux';

/** @param server the package that its server is built from */
export function lookUpGoPeer<Peer>(
  name: PeerName,
  options: PeersAsked,
  { server, open }: { readonly server: string; readonly open: (folder: string) => Promise<Peer> },
): Promise<Found<Peer>> {
  const go = findProgram('go');
  return lookUp(name, options, {
    lacks: () => {
      if (process.platform !== 'linux') return Promise.resolve(LINUX_ONLY);
      return Promise.resolve(go === undefined ? 'no go on PATH: install Go 1.26' : undefined);
    },
    project: (workspace) => goPrograms(name, workspace, { go: go!, packages: { client: `./${name}`, server } }),
    open,
  });
}
