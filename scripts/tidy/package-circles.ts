// Packages that need each other in a circle, be it only for their tests: nx builds none of them.
import { inCircles } from './circles.ts';
import { type Finding } from './finding.ts';
import { SCOPE, type Workspace } from './workspace.ts';

export function packageCircles({ projects }: Workspace): Finding[] {
  const arrows = new Map(
    projects.map(({ folder, manifest }) => {
      const { dependencies = {}, devDependencies = {} } = manifest;
      const others = Object.keys({ ...dependencies, ...devDependencies }).filter((name) => name.startsWith(SCOPE));
      return [manifest.name, new Map(others.map((name) => [name, `${folder}/package.json`]))];
    }),
  );
  return inCircles(arrows).map(({ from, to, at }) => ({
    at,
    message: `${from} needs ${to}, which needs it back: move tests that need both to a package above both`,
  }));
}
