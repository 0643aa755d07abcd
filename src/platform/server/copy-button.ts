import type { FastifyInstance } from 'fastify';
import { escaped } from '#node/http/html-page';

/** Path of the script behind the buttons. */
export const copyScriptPath = '/copy.js';

/**
 * Without it there are no buttons, and people select the text themselves. Browsers give the clipboard to pages over TLS and of this
 * machine only: on any other page, and where somebody has forbidden it, the button selects the text.
 */
const script = `for (const button of document.querySelectorAll('button[data-copies]')) {
  const source = document.getElementById(button.dataset.copies);
  const name = button.dataset.name;
  const tell = (text, label) => {
    button.textContent = text;
    button.setAttribute('aria-label', label);
    document.getElementById('copy-status').textContent = label;
  };
  button.hidden = false;
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(source.textContent);
      tell('Copied', 'Copied: ' + name);
    } catch {
      getSelection().selectAllChildren(source);
      tell('Selected: copy it now', 'Selected: ' + name + '. Copy it with the keys of your browser.');
    }
  });
}
`;

export function registerCopyScript(server: FastifyInstance): void {
  server.get(copyScriptPath, async (_request, reply) => reply.type('text/javascript; charset=utf-8').send(script));
}

/**
 * A text with a button that copies it, as HTML. The page needs the script, and `copyStatus` once.
 *
 * @param id of the text on the page.
 * @param name what the text is, for who does not see it.
 */
export function copyable({ id, text, name }: Readonly<Record<'id' | 'text' | 'name', string>>): string {
  const label = escaped(name);
  return `<code id="${id}">${escaped(text)}</code>
<button type="button" class="second copy" data-copies="${id}" data-name="${label}" aria-label="Copy ${label}" hidden>Copy</button>`;
}

/** Where the page says that something was copied. */
export const copyStatus = '<p class="hint" id="copy-status" aria-live="polite"></p>';
