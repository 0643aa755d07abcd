import type { ModelView } from '../../model/compiled-model.ts';

const withSlash = new WeakMap<ModelView, readonly string[]>();

/**
 * Links and action endpoints hold collection names as they are, so that a name with a slash takes several parts of a
 * path. Such a name becomes one part: `/service/a/b/4` → `/service/a%2Fb/4`.
 */
export function encodeCollectionName(url: string, prefix: string, model: ModelView): string {
  const names = namesWithSlash(model);
  if (names.length === 0) return url;
  for (const start of [`${prefix}/_actions/`, `${prefix}/_charts/`, `${prefix}/`]) {
    if (!url.toLowerCase().startsWith(start.toLowerCase())) continue;
    const rest = url.slice(start.length);
    for (const name of names) {
      const written = [name, encodeURI(name)].find((form) => isFirstPart(rest, form));
      if (written !== undefined)
        return `${url.slice(0, start.length)}${encodeURIComponent(name)}${rest.slice(written.length)}`;
    }
  }
  return url;
}

function isFirstPart(path: string, part: string): boolean {
  if (!path.toLowerCase().startsWith(part.toLowerCase())) return false;
  const next = path[part.length];
  return next === undefined || next === '/' || next === '?';
}

/** Longest first: `a/b/c` must not be taken for `a/b`. */
function namesWithSlash(model: ModelView): readonly string[] {
  const known = withSlash.get(model);
  if (known) return known;
  const names = [...model.collections.keys()].filter((name) => name.includes('/'));
  names.sort((a, b) => b.length - a.length);
  withSlash.set(model, names);
  return names;
}
