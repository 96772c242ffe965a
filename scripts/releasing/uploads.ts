// The remaining uploads of a release: one that failed half-way is repeated, and packages already on the registry are left alone.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';

/** Limit for `npm view`, which by itself would retry for a quarter of an hour. */
const VIEW_LIMIT_MS = 120_000;

export interface Upload {
  readonly name: string;
  readonly version: string;
  /** Hash of the tarball, as npm writes it: `sha512-<base64>`. */
  readonly integrity: string;
}

export interface Registry<Of extends Upload> {
  /** Integrity of the published package with this name and version; undefined: none. */
  readonly integrityOf: (upload: Of) => Promise<string | undefined>;
  readonly publish: (upload: Of) => Promise<void>;
}

/** In npm's form; the same commit gives the same on every machine. */
export function integrityIn(tarball: string): string {
  return `sha512-${createHash('sha512').update(readFileSync(tarball)).digest('base64')}`;
}

/**
 * Uploads one after the other, after looking at all of them first. Reports for each whether it was there already.
 * @throws Error if other content is there under the same version, before anything is uploaded
 */
export async function uploadMissing<Of extends Upload>(
  uploads: readonly Of[],
  { integrityOf, publish }: Registry<Of>,
  tell: (upload: Of, wasThere: boolean) => void,
): Promise<void> {
  const standing: { readonly upload: Of; readonly wasThere: boolean }[] = [];
  for (const upload of uploads) {
    const found = await integrityOf(upload);
    if (found !== undefined && found !== upload.integrity) throw new Error(otherThere(upload, found));
    standing.push({ upload, wasThere: found !== undefined });
  }
  for (const { upload, wasThere } of standing) {
    if (!wasThere) await publish(upload);
    tell(upload, wasThere);
  }
}

function otherThere({ name, version, integrity }: Upload, found: string): string {
  return `${name} ${version} is published already, and is not what this commit gives (${found} there, ${integrity} here): release from the commit that was published, or raise the version`;
}

export interface NpmSurroundings {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** Further flags of npm. */
  readonly flags: readonly string[];
}

/** The answer of npm's registry. @throws Error if it does not answer */
export async function publishedIntegrity(
  { name, version }: Upload,
  { cwd, env, flags }: NpmSurroundings,
): Promise<string | undefined> {
  const args = ['view', `${name}@${version}`, 'dist.integrity', '--json', '--prefer-online', ...flags];
  try {
    const { stdout } = await promisify(execFile)('npm', args, { cwd, env, timeout: VIEW_LIMIT_MS });
    return stdout.trim() === '' ? undefined : (JSON.parse(stdout) as string);
  } catch (error) {
    const {
      stdout = '',
      stderr = '',
      message,
    } = error as Error & { readonly stdout?: string; readonly stderr?: string };
    if (/"code": ?"E404"/.test(stdout)) return undefined;
    throw new Error(`whether ${name} ${version} is published already cannot be read: ${stderr.trim() || message}`, {
      cause: error,
    });
  }
}
