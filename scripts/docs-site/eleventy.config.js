import { globSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';

/** A site of all pages of this repository: the same files, with a list of them on each page. Pagefind adds the search. */
const repository = path.resolve(import.meta.dirname, '../..');
const output = path.join(repository, '.cache/site');
const read = (file) => readFileSync(path.join(repository, file), 'utf8');
const pages = globSync(['*.md', 'docs/*.md', 'docs/adr/*.md'], { cwd: repository });
const { homepage } = JSON.parse(read('package.json'));

export default function configure(eleventy) {
  eleventy.on('eleventy.before', () => rmSync(output, { recursive: true, force: true }));
  eleventy.amendLibrary('md', (markdown) => {
    markdown.set({ html: false });
    markdown.core.ruler.push('heading anchors', addAnchors);
    markdown.renderer.rules.link_open = renderLink;
    // A wide table scrolls by itself, also with the keyboard.
    markdown.renderer.rules.table_open = () => '<div class="wide" tabindex="0"><table>\n';
    markdown.renderer.rules.table_close = () => '</table></div>\n';
  });
  eleventy.addFilter('from', (place, source) => relative(placeOf(source), place));
  eleventy.addGlobalData('groups', readGroups());
  eleventy.addPassthroughCopy({ [path.join(import.meta.dirname, 'style.css')]: 'style.css' });
  for (const source of pages) {
    // Pages that are made from the code begin with a comment that says so.
    const text = read(source).replace(/^<!--.*-->\n/, '');
    const [, title = source] = /^# (.+)$/m.exec(text) ?? [];
    const data = { layout: 'page.njk', permalink: placeOf(source), source, title: title.replaceAll('`', '') };
    eleventy.addTemplate(source, text, data);
  }
}

export const config = {
  dir: { input: path.relative('', import.meta.dirname) || '.', includes: '.', output: path.relative('', output) },
  // Braces of examples are text.
  markdownTemplateEngine: false,
  templateFormats: ['md'],
};

/** Where a page stands on the site. */
function placeOf(source) {
  return source.replace(/README\.md$/, 'index.md').replace(/\.md$/, '.html');
}

function relative(from, to) {
  return path.posix.relative(path.posix.dirname(from), to) || path.posix.basename(to);
}

/** The groups of the table of contents, with their pages. */
function readGroups() {
  const [, ...sections] = read('docs/README.md').split(/^## /m);
  return sections.map((section) => ({
    title: section.split('\n', 1)[0],
    pages: [...section.matchAll(/^\| \[(.+?)\]\((\S+)\)/gm)].map(([, title, file]) => ({
      title: title.replaceAll('`', ''),
      place: placeOf(path.posix.join('docs', file)),
    })),
  }));
}

/** Headings get the anchors that hosts of repositories give them. */
function addAnchors({ tokens }) {
  const counts = new Map();
  for (const [index, token] of tokens.entries()) {
    if (token.type !== 'heading_open') continue;
    const words = tokens[index + 1].children.map(({ content }) => content).join('');
    const anchor = words
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_\- ]/gu, '')
      .replaceAll(' ', '-');
    const count = counts.get(anchor) ?? 0;
    counts.set(anchor, count + 1);
    token.attrSet('id', count === 0 ? anchor : `${anchor}-${count}`);
  }
}

/** A link to a page leads to its place here; one to another file leads to the repository. */
function renderLink(tokens, index, options, { source }, renderer) {
  const token = tokens[index];
  const href = token.attrGet('href');
  if (!/^(?:\w+:|#)/.test(href)) {
    const [file, anchor] = href.split('#');
    const target = path.posix.join(path.posix.dirname(source), file);
    const place = pages.includes(target)
      ? relative(placeOf(source), placeOf(target))
      : `${homepage.split('#')[0]}/blob/main/${target}`;
    token.attrSet('href', anchor === undefined ? place : `${place}#${anchor}`);
  }
  return renderer.renderToken(tokens, index, options);
}
