import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { repository } from './source-tree.ts';

const read = (file: string) => readFileSync(path.join(repository, file), 'utf8');
const namesIn = (folder: string) => readdirSync(path.join(repository, folder)).filter((name) => name.endsWith('.md'));
const records = namesIn('docs/adr')
  .filter((name) => name !== 'README.md')
  .sort();
const pages = [
  'README.md',
  'ARCHITECTURE.md',
  'AGENTS.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'SUPPORT.md',
  'CODE_OF_CONDUCT.md',
  'CHANGELOG.md',
  ...namesIn('docs').map((file) => `docs/${file}`),
  ...namesIn('docs/adr').map((file) => `docs/adr/${file}`),
];

const linksIn = (page: string) =>
  [...withoutCode(read(page)).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, link = '']) => link)
    .filter((link) => !/^\w+:/.test(link));

function withoutCode(text: string): string {
  return text.replace(/^```.*?^```/gms, '');
}

/** The anchors of the headings of a page, as the hosts of repositories make them. */
function anchorsOf(page: string): ReadonlySet<string> {
  const counts = new Map<string, number>();
  const headings = [...withoutCode(read(page)).matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = '']) => heading);
  return new Set(
    headings.map((heading) => {
      const text = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
      const anchor = text.replace(/[^\p{L}\p{N}_\- ]/gu, '').replaceAll(' ', '-');
      const count = counts.get(anchor) ?? 0;
      counts.set(anchor, count + 1);
      return count === 0 ? anchor : `${anchor}-${count}`;
    }),
  );
}

describe('decision records', () => {
  it('are numbered without a gap', () => {
    expect(records.map((file) => Number(file.slice(0, 4)))).toEqual(records.map((_, index) => index + 1));
  });

  it.each(records)('%s names tests that exist', (file) => {
    const [, enforcedBy = ''] = read(`docs/adr/${file}`).split('## Enforced by');
    const tests = [...enforcedBy.matchAll(/`(test\/[^`]+)`/g)].map(([, test = '']) => test);
    expect(tests.length).toBeGreaterThan(0);
    expect(tests.filter((test) => !existsSync(path.join(repository, test)))).toEqual([]);
  });
});

describe('documents', () => {
  it.each(pages)('%s links to files and headings that exist', (page) => {
    const dead = linksIn(page).filter((link) => {
      const [file = '', anchor] = link.split('#');
      const target = file === '' ? page : path.join(path.dirname(page), file);
      if (!existsSync(path.join(repository, target))) return true;
      return anchor !== undefined && target.endsWith('.md') && !anchorsOf(target).has(anchor);
    });
    expect(dead).toEqual([]);
  });

  it('are all in the table of contents, once', () => {
    const listed = linksIn('docs/README.md').filter((link) => !link.includes('/'));
    expect(listed.toSorted()).toEqual(
      namesIn('docs')
        .filter((name) => name !== 'README.md')
        .toSorted(),
    );
  });

  it('list every decision with its title', () => {
    const rows = [...read('docs/adr/README.md').matchAll(/^\| \[(\d{4})\]\((\S+)\) \| (.+) \|$/gm)];
    const titles = rows.map(([, number, file, title]) => [file, `# ${number}. ${title}`]);
    expect(titles).toEqual(records.map((file) => [file, read(`docs/adr/${file}`).split('\n', 1)[0]]));
  });

  it('give every dependency its reason', () => {
    // The build puts packages for development into the code.
    const { dependencies, devDependencies } = JSON.parse(read('package.json')) as Record<
      string,
      Record<string, string>
    >;
    const named = Object.keys({ ...dependencies, ...devDependencies });
    const reasons = read('docs/dependencies.md');
    const missing = named.filter((name) => {
      if (/^@(?:types|opentelemetry)\//.test(name)) return false;
      const [scope, short] = name.split('/');
      return (
        !reasons.includes(`\`${name}\``) && !(reasons.includes(`\`${scope}/`) && reasons.includes(`\`/${short}\``))
      );
    });
    expect(missing).toEqual([]);
  });

  it('lock no download address', () => {
    expect(read('package-lock.json')).not.toContain('"resolved"');
  });

  it('lock the binaries of every platform, or "npm ci" refuses the lock file', () => {
    const { packages } = JSON.parse(read('package-lock.json')) as {
      packages: Record<string, { optionalDependencies?: Record<string, string> }>;
    };
    const locked = Object.keys(packages);
    const optional = Object.values(packages).flatMap((entry) => Object.keys(entry.optionalDependencies ?? {}));
    expect(optional.filter((name) => !locked.some((place) => place.endsWith(`node_modules/${name}`)))).toEqual([]);
  });
});
