import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { repository } from './source-tree.ts';

const read = (file: string) => readFileSync(path.join(repository, file), 'utf8');
const records = readdirSync(path.join(repository, 'docs/adr')).sort();
const pages = [
  'README.md',
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'CHANGELOG.md',
  ...records.map((file) => `docs/adr/${file}`),
];

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
  it.each(pages)('%s links to files that exist', (page) => {
    const links = [...read(page).matchAll(/\]\(([^)#]+)[^)]*\)/g)].map(([, link = '']) => link);
    const local = links.filter((link) => !link.startsWith('http'));
    expect(local.filter((link) => !existsSync(path.resolve(repository, path.dirname(page), link)))).toEqual([]);
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
