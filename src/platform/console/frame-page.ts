import { createHash } from 'node:crypto';
import type { FastifyInstance } from 'fastify';

/** Where HTML is shown that comes from elsewhere: from an action, a note or a form. */
const framePath = '/frame';

/**
 * The page around the frame sends `{ html, style }`. The frame answers `{ type: 'ready' }` when it hears, and `{ type: 'height', height }`
 * in pixels. It sends `{ type: 'link', href }` when somebody follows a link, which goes nowhere by itself.
 */
const script = `
const origin = new URL(location.href).origin;
const tell = (message) => parent.postMessage(message, origin);
addEventListener('message', ({ source, origin: from, data }) => {
  if (source !== parent || from !== origin) return;
  document.body.innerHTML = String(data.html);
  document.getElementById('given').textContent = String(data.style ?? '');
});
addEventListener('click', (event) => {
  const link = event.target instanceof Element ? event.target.closest('a, area') : null;
  if (!link) return;
  event.preventDefault();
  tell({ type: 'link', href: link.getAttribute('href') ?? '' });
}, true);
new ResizeObserver(() => tell({ type: 'height', height: document.documentElement.offsetHeight })).observe(document.documentElement);
tell({ type: 'ready' });
`;
const scriptHash = createHash('sha256').update(script).digest('base64');

const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Shown text</title>
<style>body { margin: 0; overflow-wrap: anywhere; font: 14px/20px system-ui, sans-serif }</style>
<style id="given"></style>
</head>
<body></body>
<script>${script}</script>
</html>
`;

/**
 * It has no origin of its own, so that it reaches no cookie and no storage. It runs one script, and none of the text that it is given.
 * It loads nothing, and pages of other origins cannot embed it.
 */
const policy = [
  'sandbox allow-scripts',
  "default-src 'none'",
  `script-src 'sha256-${scriptHash}'`,
  "style-src 'unsafe-inline'",
  'img-src data:',
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'self'",
].join('; ');

export function registerFramePage(server: FastifyInstance): void {
  server.get(framePath, async (_request, reply) =>
    reply
      .headers({
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': policy,
        'referrer-policy': 'no-referrer',
      })
      .send(page),
  );
}
