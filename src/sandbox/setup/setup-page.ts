import { createHash } from 'node:crypto';

const style = `
  body { font: 16px/1.5 system-ui, sans-serif; max-width: 34rem; margin: 8vh auto; padding: 0 1rem; color: #1c2430 }
  label { display: block; margin-top: 1rem }
  input, button { font: inherit; width: 100%; box-sizing: border-box; padding: .6rem; margin-top: .3rem }
  button { margin-top: 1.5rem }
  code { overflow-wrap: anywhere; background: #eef1f5; padding: .1rem .3rem }
  [role=alert] { color: #a3172b }
`;

const script = `
  const form = document.querySelector('form');
  const problem = document.querySelector('[role=alert]');
  const secret = location.hash.slice(1);
  if (!secret) problem.textContent = 'Open the whole link that the platform printed, with what stands behind "#".';
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    problem.textContent = '';
    const button = form.querySelector('button');
    button.disabled = true;
    try {
      const body = JSON.stringify({ secret, ...Object.fromEntries(new FormData(form)) });
      const response = await fetch('api/setup', { method: 'POST', headers: { 'content-type': 'application/json' }, body });
      const answer = await response.json();
      if (!response.ok) throw new Error([answer.errors[0].detail, ...(answer.errors[0].nextSteps ?? [])].join(' '));
      show(answer);
    } catch (error) {
      problem.textContent = error.message;
      button.disabled = false;
    }
  });
  function show({ project, environments }) {
    history.replaceState(null, '', location.pathname);
    const result = document.querySelector('#result');
    result.querySelector('b').textContent = project.name;
    for (const { name, secret } of environments) {
      const term = document.createElement('dt');
      const value = document.createElement('dd');
      const code = document.createElement('code');
      term.textContent = name;
      code.textContent = secret;
      value.append(code);
      result.querySelector('dl').append(term, value);
    }
    form.hidden = true;
    result.hidden = false;
  }
`;

/** The page that makes the first administrator. It is the same for everybody: the browser alone knows the secret. */
export const setupPage = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Set up the platform</title>
<style>${style}</style>
<h1>Set up the platform</h1>
<noscript><p>This page needs JavaScript. Without it, send POST api/setup.</p></noscript>
<p role="alert"></p>
<form>
  <p>You become its first administrator.</p>
  <label>Your name <input name="name" autocomplete="name" required maxlength="200"></label>
  <label>Your e-mail address <input name="email" type="email" autocomplete="username" required></label>
  <label>A password of at least 12 characters
    <input name="password" type="password" autocomplete="new-password" required minlength="12" maxlength="1024"></label>
  <label>Name of the first project <input name="project" required maxlength="100"></label>
  <button>Set up</button>
</form>
<section id="result" hidden>
  <p>The project <b></b> is there. These are the secrets of its environments (<code>SERVICE_ENV_SECRET</code>).
  Keep them now: they are not shown again.</p>
  <dl></dl>
</section>
<script>${script}</script>
</html>
`;

export const setupPageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': [
    "default-src 'none'",
    `style-src ${sourceOf(style)}`,
    `script-src ${sourceOf(script)}`,
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'referrer-policy': 'no-referrer',
} as const;

/** Lets exactly this text in. */
function sourceOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}
