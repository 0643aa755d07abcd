const heading = '## Unreleased\n';

/** The entries below `## Unreleased`; an empty text if there are none. */
export function unreleasedEntries(changelog: string): string {
  const start = changelog.indexOf(heading);
  if (start === -1) return '';
  const [section = ''] = changelog.slice(start + heading.length).split(/^## /m);
  const hasEntry = /^- /m.test(section);
  return hasEntry ? section.trim() : '';
}

/** The changelog in which the unreleased entries belong to a version. @param day as `2026-11-30` */
export function withRelease(changelog: string, version: string, day: string): string {
  return changelog.replace(heading, `${heading}\n## ${version} (${day})\n`);
}
