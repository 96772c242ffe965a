/**
 * Returns why node_modules is not what the lock file asks for; undefined: it is.
 *
 * Both arguments are the `packages` of a lock file: package-lock.json, and node_modules/.package-lock.json, which npm writes at
 * the end of an installation. Additional packages do no harm; only packages for other platforms may be missing.
 *
 * @typedef {{ version?: string, integrity?: string, resolved?: string, link?: boolean, optional?: boolean }} Package
 * @param {Record<string, Package>} wanted
 * @param {Record<string, Package>} installed
 * @returns {string | undefined}
 */
export function outdated(wanted, installed) {
  for (const [path, entry] of Object.entries(wanted)) {
    if (!path.startsWith('node_modules/') && !path.includes('/node_modules/')) continue;
    const found = installed[path];
    if (found === undefined && entry.optional !== true) return `${path} is missing`;
    if (found !== undefined && identity(found) !== identity(entry)) return `${path} is another version`;
  }
  return undefined;
}

function identity({ version, integrity, resolved, link }) {
  return link === true ? `link ${resolved}` : `${version} ${integrity}`;
}
