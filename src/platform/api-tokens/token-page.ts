import { type ApiToken, apiScopes } from '#contracts/api-tokens';
import { escaped, renderPage } from '#node/http/html-page';
import { copyable, copyScriptPath, copyStatus } from '../server/copy-button.ts';

/** The page on which administrators manage the tokens of a project. */
export interface TokenPage {
  readonly project: string;
  /** The projects that the person administers. */
  readonly projects: readonly string[];
  readonly tokens: readonly ApiToken[];
  /** Every form carries it. */
  readonly formToken: string;
  /** Sent twice, the form makes one token. */
  readonly creationKey: string;
  readonly problem?: string | undefined;
  /** A secret that was just made: the page shows it, and no other one will. */
  readonly made?: { readonly name: string; readonly secret: string | undefined } | undefined;
  /** What was typed into the form before. */
  readonly typed?: { readonly name: string; readonly scopes: readonly string[] } | undefined;
}

export const tokenPagePath = '/settings/tokens';

export function renderTokenPage(page: TokenPage): string {
  const { project, tokens, problem, made } = page;
  const active = tokens.filter(({ state }) => state === 'active');
  const over = tokens.filter(({ state }) => state !== 'active');
  return renderPage({
    title: `API tokens of ${project}`,
    problem,
    ...(made ? { script: copyScriptPath } : {}),
    html: [
      otherProjects(page),
      ...(made ? [madeSecret(made)] : []),
      '<p>A program uses the public API of the platform with a token. Give each program its own, with as few rights as it needs.</p>',
      creationForm(page),
      ...active.map((token) => tokenSection(token, page)),
      ...(over.length > 0 ? [overList(over)] : []),
      '<p><a href="/oidc/session/end">Sign out of the platform</a></p>',
    ].join('\n'),
  });
}

function otherProjects({ project, projects }: TokenPage): string {
  const others = projects.filter((name) => name !== project);
  if (others.length === 0) return '';
  const links = others.map(
    (name) => `<li><a href="${tokenPagePath}?project=${escaped(encodeURIComponent(name))}">${escaped(name)}</a></li>`,
  );
  return `<nav aria-label="Other projects"><ul>${links.join('')}</ul></nav>`;
}

/** It has the focus when the page opens, so that nobody passes it over. */
function madeSecret({ name, secret }: NonNullable<TokenPage['made']>): string {
  const content =
    secret === undefined
      ? '<p>This form was sent before. The token is there, and its secret is not shown again.</p>'
      : `<p>Copy the secret of “${escaped(name)}” now. It is not shown again.</p>
<p>${copyable({ id: 'made-secret', text: secret, name: `the secret of ${name}` })}</p>
<p>The program sends it with each request, as <code>Authorization: Bearer</code>. Keep it where the program finds it and others do not, such as a secret
of your CI.</p>`;
  return `<div role="status" tabindex="-1" autofocus>\n${content}\n</div>\n${copyStatus}`;
}

const scopeLabels = {
  'activity_logs:read': 'Read activity logs',
  'admin_logs:read': 'Read admin logs',
  'notes:read': 'Read notes',
  'notes:write': 'Create and change notes',
  'cosignatures:write': 'Cosign the audit log',
} as const;

const lifeChoices = [
  ['90', '90 days'],
  ['7', '7 days'],
  ['30', '30 days'],
  ['180', '180 days'],
  ['366', '366 days'],
  ['never', 'It does not expire'],
] as const;

function creationForm(page: TokenPage): string {
  const { typed = { name: '', scopes: [] }, problem } = page;
  const wrong = problem === undefined ? '' : ' aria-describedby="problem"';
  const scopes = apiScopes.map((scope) => {
    const checked = typed.scopes.includes(scope) ? ' checked' : '';
    return `    <label class="choice" for="${scope}"><input type="checkbox" id="${scope}" name="scopes" value="${scope}"${checked}> ${scopeLabels[scope]}</label>`;
  });
  const lives = lifeChoices.map(([value, label]) => `<option value="${value}">${label}</option>`);
  return `<form method="post" action="${tokenPagePath}">
${hidden({ ...commonFields(page), do: 'create', key: page.creationKey })}
  <label for="name">Name <span class="hint" id="name-hint">(what the token is for)</span></label>
  <input id="name" name="name" maxlength="100" value="${escaped(typed.name)}" autocomplete="off" required${wrong}>
  <fieldset>
    <legend>What it may do</legend>
${scopes.join('\n')}
  </fieldset>
  <label for="life">How long it is valid</label>
  <select id="life" name="life">${lives.join('')}</select>
  <button>Create the token</button>
</form>`;
}

function tokenSection(token: ApiToken, page: TokenPage): string {
  const { id, name, hint, scopes, expiresAt, expiresSoon, lastUsedAt, lastUsedAddress, createdBy } = token;
  const label = escaped(name);
  const rows = [
    ['Secret', `<code>…${escaped(hint)}</code>`],
    ['May do', escaped(scopes.join(', '))],
    ['Expires', `${day(expiresAt, 'never')}${expiresSoon ? ' — <strong>soon: rotate it</strong>' : ''}`],
    ['Last used', lastUsedAt === null ? 'never' : `${day(lastUsedAt, '')} from ${escaped(lastUsedAddress ?? '')}`],
    ['Created', `${day(token.createdAt, '')} by ${escaped(createdBy.name)}`],
  ];
  const form = (deed: string, text: string, style: string) => `<form method="post" action="${tokenPagePath}">
${hidden({ ...commonFields(page), do: deed, id: String(id) })}
  <button${style} aria-label="${text} ${label}">${text}</button>
</form>`;
  return `<section aria-labelledby="token-${id}">
<h2 id="token-${id}">${label}</h2>
<dl>${rows.map(([term, value]) => `<dt>${term}</dt><dd>${value}</dd>`).join('')}</dl>
${form('rotate', 'Rotate', '')}
<p class="hint">Rotating makes a new secret. The one before stays valid for 24 hours.</p>
${form('revoke', 'Revoke', ' class="second"')}
</section>`;
}

function overList(tokens: readonly ApiToken[]): string {
  const items = tokens.map(({ name, hint, state }) => `<li>${escaped(name)} (…${escaped(hint)}): ${state}</li>`);
  return `<section aria-labelledby="over"><h2 id="over">Ended</h2><ul>${items.join('')}</ul></section>`;
}

function commonFields({ formToken, project }: TokenPage) {
  return { formToken, project };
}

function hidden(fields: Readonly<Record<string, string>>): string {
  return Object.entries(fields)
    .map(([name, value]) => `  <input type="hidden" name="${name}" value="${escaped(value)}">`)
    .join('\n');
}

function day(time: string | null, otherwise: string): string {
  return time === null ? otherwise : `<time datetime="${time}">${time.slice(0, 10)}</time>`;
}
