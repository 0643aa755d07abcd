import type { IOptions } from 'sanitize-html';
import { maxContentBytes } from '#contracts/notes';
import { cloudError } from '#kernel/errors/cloud-error';

const allowedTags = ['p', 'br', 'b', 'i', 'a', 'ul', 'ol', 'li', 'code'];

const allowed: IOptions = {
  allowedTags,
  allowedAttributes: { a: ['href'] },
  allowedSchemes: ['http', 'https', 'mailto'],
  // Addresses that leave the scheme out would take that of the page that shows them.
  allowProtocolRelative: false,
  disallowedTagsMode: 'discard',
};

/** The same with the people that somebody mentions. A mention names a person by their id, and what is in it is left out. */
const allowedWithMentions: IOptions = {
  ...allowed,
  allowedTags: [...allowedTags, 'mention'],
  allowedAttributes: { ...allowed.allowedAttributes, mention: ['user'] },
  transformTags: {
    mention: (tagName, { user = '' }) =>
      isPersonId(user) ? { tagName, attribs: { user } } : { tagName: 'discarded', attribs: {} },
  },
  textFilter: (text, tagName) => (tagName === 'mention' ? '' : text),
};

interface SanitizeOptions {
  /** Whether mentions stay; else their text does. */
  readonly mayMention: boolean;
}

/**
 * The content of a message with the elements and attributes that are allowed, and nothing of scripts and styles. Rejects with
 * `REQUEST_TOO_LARGE`, or `REQUEST_INVALID` where nothing is left.
 */
export async function sanitizeContent(content: string, { mayMention }: SanitizeOptions): Promise<string> {
  const bytes = Buffer.byteLength(content);
  if (bytes > maxContentBytes) {
    throw cloudError(
      'REQUEST_TOO_LARGE',
      `The content has ${bytes} bytes, and may have ${maxContentBytes}.`,
      'Write less, or write several messages.',
    );
  }
  const { default: sanitizeHtml } = await import('sanitize-html');
  const clean = mayMention ? closeMentions(sanitizeHtml(content, allowedWithMentions)) : sanitizeHtml(content, allowed);
  if (clean.trim() !== '') return clean;
  throw cloudError(
    'REQUEST_INVALID',
    'The content is empty once everything is taken out of it that a note may not have.',
    `Write text. These elements are allowed: ${allowedTags.join(', ')}.`,
  );
}

function isPersonId(text: string): boolean {
  return /^[1-9]\d{0,14}$/.test(text);
}

/** A mention ends where it begins, whatever stood in it. */
function closeMentions(html: string): string {
  return html.replaceAll('</mention>', '').replaceAll(/<mention user="\d+">/g, '$&</mention>');
}
