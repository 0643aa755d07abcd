/** A person that a text mentions: what stands behind `@`, and who it is. */
export interface Mention {
  readonly label: string;
  readonly id: number;
}

const elements = ['p', 'br', 'b', 'i', 'a', 'ul', 'ol', 'li', 'code', 'mention'] as const;
type ElementName = (typeof elements)[number];

/** A piece of a message: text, or an element. */
export type NoteNode = string | NoteElement;

interface NoteElement {
  readonly name: ElementName;
  /** Of a link. */
  readonly href?: string;
  readonly children: NoteNode[];
}

const paragraphs = /\n{2,}/;
const addresses = String.raw`https?://[^\s<>"]*[^\s<>".,;:!?)'\]]`;

/** What somebody typed, as HTML of a message: paragraphs, line breaks, links and mentions. */
export function contentOf(text: string, mentions: readonly Mention[]): string {
  const ids = new Map(mentions.map(({ label, id }) => [`@${label}`, id]));
  const names = [...ids.keys()].toSorted((one, other) => other.length - one.length).map(asPattern);
  const marks = names.length === 0 ? addresses : `(?:${names.join('|')})(?![\\p{L}\\p{N}])|${addresses}`;
  const marked = (line: string) =>
    line
      .split(new RegExp(`(${marks})`, 'u'))
      .map((piece) => {
        const id = ids.get(piece);
        if (id !== undefined) return `<mention user="${id}"></mention>`;
        const shown = escaped(piece);
        return /^https?:\/\//.test(piece) ? `<a href="${shown}">${shown}</a>` : shown;
      })
      .join('');
  return text
    .trim()
    .split(paragraphs)
    .map((paragraph) => `<p>${paragraph.split('\n').map(marked).join('<br />')}</p>`)
    .join('');
}

function asPattern(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
}

/** The word behind an `@` that somebody types at a place of a text, and where the `@` is. */
export function mentionAt(text: string, place: number): { readonly search: string; readonly from: number } | undefined {
  const found = /(?:^|\s)@([^@\n]{0,40})$/u.exec(text.slice(0, place));
  const search = found?.[1];
  // A name may have two parts. A third word is the text that goes on.
  if (search === undefined || search.split(' ').length > 2) return undefined;
  return { search, from: place - search.length - 1 };
}

/**
 * The HTML of a message as a tree. The platform has taken out everything that a note may not have. Here, what is not known is text or
 * nothing, so that no message becomes an element that this list does not name.
 */
export function parseContent(html: string): readonly NoteNode[] {
  const root: NoteNode[] = [];
  const open: NoteElement[] = [];
  for (const [, slash, name, attributes, text] of html.matchAll(/<(\/?)([a-z]+)((?:\s[^<>]*)?)>|([^<]+|<)/g)) {
    const into = open.at(-1)?.children ?? root;
    if (text !== undefined) into.push(unescaped(text));
    const known = elements.find((each) => each === name);
    if (!known) continue;
    if (slash === '/') {
      const place = open.findLastIndex((each) => each.name === known);
      if (place >= 0) open.length = place;
      continue;
    }
    const element = elementOf(known, attributes ?? '');
    into.push(element);
    if (known !== 'br') open.push(element);
  }
  return root;
}

function elementOf(name: ElementName, attributes: string): NoteElement {
  const href = name === 'a' ? unescaped(/\shref="([^"]*)"/.exec(attributes)?.[1] ?? '') : '';
  return /^(?:https?|mailto):/i.test(href) ? { name, href, children: [] } : { name, children: [] };
}

const entities: Readonly<Record<string, string>> = { '&lt;': '<', '&gt;': '>', '&quot;': '"', '&amp;': '&' };

function unescaped(text: string): string {
  return text.replace(/&(?:lt|gt|quot|amp);/g, (entity) => entities[entity] ?? entity);
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
