import { execFileSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { describeInChromium } from '../helpers/chromium.ts';
import { startHttpServer } from '../helpers/http-server.ts';

const repository = path.resolve(import.meta.dirname, '../..');
const site = path.join(repository, '.cache/site');
const types: Readonly<Record<string, string>> = { '.html': 'text/html', '.css': 'text/css', '.js': 'text/javascript' };

beforeAll(() => void execFileSync('npm', ['run', '-s', 'docs:site'], { cwd: repository, stdio: 'pipe' }));

const pages = () => globSync(['*.html', 'docs/**/*.html'], { cwd: site });
const read = (page: string) => readFileSync(path.join(site, page), 'utf8');

/** A server of the files, and where a page is on it. */
async function serveSite(): Promise<(page: string) => string> {
  const { origin } = await startHttpServer((request, response) => {
    const file = path.join(site, decodeURIComponent(new URL(request.url ?? '/', 'http://site.test').pathname));
    if (!existsSync(file)) return response.writeHead(404).end();
    const type = types[path.extname(file)] ?? 'application/octet-stream';
    return response.writeHead(200, { 'content-type': type }).end(readFileSync(file));
  });
  return (page) => `${origin}/${page}`;
}

describe('the site of the documentation', () => {
  it('has all pages, and its links lead to pages and headings that exist', () => {
    const sources = globSync(['*.md', 'docs/*.md', 'docs/adr/*.md'], { cwd: repository });
    expect(pages().length).toBe(sources.length);
    const dead = pages().flatMap((page) =>
      [...read(page).matchAll(/ href="([^"]+)"/g)]
        .map(([, href = '']) => href)
        .filter((href) => !/^\w+:/.test(href))
        .filter((href) => {
          const [file = '', anchor] = href.split('#');
          const target = file === '' ? page : path.join(path.dirname(page), file);
          if (!existsSync(path.join(site, target))) return true;
          return anchor !== undefined && !read(target).includes(` id="${decodeURIComponent(anchor)}"`);
        })
        .map((href) => `${page}: ${href}`),
    );
    expect(dead).toEqual([]);
  });

  it('leads to the repository for files that are not on it', () => {
    expect(read('ARCHITECTURE.html')).toMatch(
      / href="https:[^"]+\/blob\/main\/test\/architecture\/rooms\/runtime\.json"/,
    );
  });

  describeInChromium('in Chromium', (openPage) => {
    it('shows the contents, follows a link, and finds a word without any other server', { tags: 'long' }, async () => {
      const addressOf = await serveSite();
      const { page, complaints } = await openPage();
      const asked: string[] = [];
      page.on('request', (request) => void asked.push(request.url()));
      await page.goto(addressOf('docs/index.html'));
      const headings = await page.locator('main h2').allInnerTexts();
      expect(headings).toEqual(['Start', 'Build', 'Run', 'Secure', 'Reference']);

      await page.getByRole('main').getByRole('link', { name: 'Data sources', exact: true }).click();
      await page.getByRole('heading', { level: 1, name: 'Data sources' }).waitFor();
      expect(await page.locator('nav [aria-current]').innerText()).toBe('Data sources');

      await page.getByPlaceholder('Search').fill('permissions');
      const found = page.getByRole('search').getByRole('link', { name: 'Permissions', exact: true });
      await found.click();
      await page.waitForURL(addressOf('docs/permissions.html'));
      await page.getByRole('heading', { level: 1, name: 'Permissions' }).waitFor();

      const elsewhere = asked.filter((url) => !url.startsWith(addressOf('')) && !url.startsWith('data:'));
      expect(elsewhere).toEqual([]);
      expect(asked.some((url) => url.includes('/pagefind/'))).toBe(true);
      expect(complaints).toEqual([]);
    });
  });
});
