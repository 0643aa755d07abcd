import { createHash } from 'node:crypto';

/** A page that people see in their browser. Texts are escaped here; what is marked as HTML is not. */
export interface Page {
  readonly title: string;
  /** What is wrong. It is announced, and has the focus when the page opens. */
  readonly problem?: string | undefined;
  /** Below the heading, as HTML. */
  readonly html: string;
  /** Path of a script of the same server that makes the page more convenient. */
  readonly script?: string;
}

const style = `
  body { font: 1rem/1.5 system-ui, sans-serif; max-width: 28rem; margin: 10vh auto; padding: 0 1rem; color: #1c2430; background: #fff }
  h1 { font-size: 1.5rem; line-height: 1.25 }
  label { display: block; margin-top: 1rem; font-weight: 600 }
  input { display: block; font: inherit; width: 100%; box-sizing: border-box; padding: .6rem; margin-top: .25rem; border: 1px solid #5b6675; border-radius: .25rem }
  button { font: inherit; width: 100%; padding: .6rem; margin-top: 1.25rem; color: #fff; background: #1a4fb4; border: 1px solid #1a4fb4; border-radius: .25rem; cursor: pointer }
  button.copy { width: auto; margin: .25rem 0 0; padding: .25rem .75rem }
  button.second { color: #1a4fb4; background: #fff }
  select { display: block; font: inherit; width: 100%; padding: .6rem; margin-top: .25rem; color: inherit; background: #fff; border: 1px solid #5b6675; border-radius: .25rem }
  fieldset { margin: 1rem 0 0; padding: 0; border: 0 }
  legend { padding: 0; font-weight: 600 }
  .choice { display: flex; gap: .5rem; align-items: center; margin-top: .5rem; font-weight: 400 }
  .choice input { width: auto; margin: 0 }
  section { margin-top: 2rem; border-top: 1px solid #5b6675 }
  h2 { font-size: 1.25rem; overflow-wrap: anywhere }
  dt { font-weight: 600 }
  a { color: #1a4fb4 }
  :focus-visible { outline: 3px solid #b35c00; outline-offset: 2px }
  .problem { border: 2px solid #a3172b; border-radius: .25rem; padding: .5rem 1rem; color: #8a1023 }
  .hint { color: #4a5565; font-weight: 400; font-size: .9rem }
  code { overflow-wrap: anywhere }
  code.large { font-size: 1.5rem; letter-spacing: .1em }
  li { margin-top: .5rem }
  dd { margin: 0 0 1rem }
`;
const styleHash = createHash('sha256').update(style).digest('base64');

interface PageRules {
  /** Further origins that a form may lead to in the end: browsers apply the rule to redirects too. */
  readonly formTargets?: readonly string[];
  /** Whether the page has a script. */
  readonly hasScript?: boolean;
  /** Whether the script asks the server. */
  readonly scriptAsks?: boolean;
}

/** Headers of a page: only itself may use it, and it may use only itself. */
export function pageHeaders({
  formTargets = [],
  hasScript = false,
  scriptAsks = false,
}: PageRules = {}): Record<string, string> {
  const policy = [
    "default-src 'none'",
    `style-src 'sha256-${styleHash}'`,
    ...(hasScript ? ["script-src 'self'"] : []),
    ...(scriptAsks ? ["connect-src 'self'"] : []),
    `form-action ${["'self'", ...formTargets].join(' ')}`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ];
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': policy.join('; '),
    'referrer-policy': 'same-origin',
  };
}

export function renderPage({ title, problem, html, script }: Page): string {
  const heading = escaped(title);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${problem === undefined ? '' : 'Error: '}${heading}</title>
<style>${style}</style>
${script === undefined ? '' : `<script src="${script}" defer></script>\n`}</head>
<body>
<main>
<h1>${heading}</h1>
${problem === undefined ? '' : `<p class="problem" id="problem" role="alert" tabindex="-1" autofocus>${escaped(problem)}</p>\n`}${html}
</main>
</body>
</html>
`;
}

export function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
