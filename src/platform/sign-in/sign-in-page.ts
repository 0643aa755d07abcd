import { escaped, renderPage } from '#node/http/html-page';

/** What the page says, as text: who is asked to sign in where, and why the try before was refused. */
export interface SignInPage {
  /** Absent where somebody signs in to the platform itself. */
  readonly environment?: { readonly project: string; readonly name: string } | undefined;
  /** Why somebody signs in to the platform itself. */
  readonly wish: string;
  readonly problem?: string | undefined;
  /** Which of the forms the problem is about. */
  readonly refused?: 'link' | 'password' | 'token' | undefined;
  /** What was typed before. */
  readonly email?: string | undefined;
  /** Where to sign in with the company's account, and whether passwords and tokens are taken beside it. */
  readonly companySignOn?: { readonly path: string; readonly isOnly: boolean } | undefined;
  /** Whether the terminal makes one-time links. Nobody has a password there, unless somebody was invited. */
  readonly hasLinks?: boolean;
}

/** Path of the script of the page, where it takes one-time links. */
export const signInScriptPath = '/sign-in.js';

/**
 * Sends the secret that a link brought behind the `#`: redirects keep it, and no server is sent it. A page that waits goes on when
 * somebody has signed in on another one.
 */
export const signInScript = `const field = document.getElementById('link');
const secret = location.hash.slice(1);
if (secret !== '') history.replaceState(null, '', location.pathname);
if (/^[0-9a-f]{64}$/.test(secret)) {
  field.value = secret;
  field.form.requestSubmit();
}
// A page gets the focus when it opens too: it is asked for again only after it had lost it.
addEventListener('blur', () => {
  addEventListener('focus', () => {
    if (field.value === '') location.reload();
  });
});
`;

/** The page that asks who somebody is. */
export function signInPage(page: SignInPage): string {
  const { environment, wish, problem, companySignOn, hasLinks = false } = page;
  const wanted = environment
    ? `The environment <b>${escaped(environment.name)}</b> wants to know who you are.`
    : escaped(wish);
  const forms = companySignOn?.isOnly ? [] : [passwordForm(page), tokenForm(page)];
  return renderPage({
    title: `Sign in to ${environment?.project ?? 'the platform'}`,
    problem,
    ...(hasLinks ? { script: signInScriptPath } : {}),
    html: [
      `<p>${wanted}</p>`,
      ...(companySignOn ? [companyLink(companySignOn.path)] : []),
      ...(hasLinks ? [linkForm(page), otherwise(page, forms)] : forms),
    ].join('\n'),
  });
}

function companyLink(path: string): string {
  return `<p><a href="${escaped(path)}">Sign in with your company account</a></p>`;
}

const wrongField = ' aria-invalid="true" aria-describedby="problem"';

function linkForm({ problem, refused }: SignInPage): string {
  return `<p>Press <b>o</b> in the terminal where <code>vendor-cloud</code> serves the project, or run <code>vendor-cloud sign-in-link</code>
there. Open the link that it shows in this browser: this page goes on. Or paste it here.</p>
<form method="post">
  <label for="link">Link of the terminal <span class="hint">(good once, for a minute)</span></label>
  <input id="link" name="link" type="password" autocomplete="off" required${refused === 'link' ? wrongField : ''}${focusUnless(problem)}>
  <button>Sign in</button>
</form>`;
}

function otherwise({ refused, email }: SignInPage, forms: readonly string[]): string {
  const isOpen = refused === 'password' || refused === 'token' || email !== undefined;
  return `<details${isOpen ? ' open' : ''}>
<summary>Sign in with a password or a token</summary>
${forms.join('\n')}
</details>`;
}

function passwordForm({ email = '', problem, refused, hasLinks }: SignInPage): string {
  const wrong = refused === 'password' ? wrongField : '';
  const focus = hasLinks ? '' : focusUnless(problem);
  return `<form method="post">
  <label for="email">E-mail</label>
  <input id="email" name="email" type="email" autocomplete="username" value="${escaped(email)}" required${wrong}${focus}>
  <label for="password">Password</label>
  <input id="password" name="password" type="password" autocomplete="current-password" required${wrong}>
  <button${hasLinks ? ' class="second"' : ''}>Sign in</button>
</form>`;
}

function tokenForm({ refused }: SignInPage): string {
  const isWrong = refused === 'token';
  return `<details${isWrong ? ' open' : ''}>
  <summary>Sign in with a token</summary>
  <form method="post">
    <label for="token">Your token of this platform</label>
    <input id="token" name="token" type="password" autocomplete="off" required${isWrong ? wrongField : ''}>
    <button class="second">Sign in with the token</button>
  </form>
</details>`;
}

/** A problem has the focus, else the first field. */
function focusUnless(problem: string | undefined): string {
  return problem === undefined ? ' autofocus' : '';
}

/** The page that asks somebody who is signed in whether another environment may know it. */
export function consentPage(
  environment: { readonly project: string; readonly name: string } | undefined,
  wish: string,
): string {
  const who = environment
    ? `The environment <b>${escaped(environment.name)}</b> of <b>${escaped(environment.project)}</b> wants to know your name and your e-mail address.`
    : escaped(wish);
  return renderPage({
    title: 'Continue?',
    html: `<p>${who}</p>
<form method="post">
  <button name="answer" value="yes" autofocus>Continue</button>
  <button name="answer" value="no" class="second">Cancel</button>
</form>`,
  });
}
