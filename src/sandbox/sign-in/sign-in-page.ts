import { escaped, renderPage } from '#host/http/html-page';

/** What the page says, as text: who is asked to sign in where, and why the try before was refused. */
export interface SignInPage {
  /** Absent where somebody signs in to the platform itself. */
  readonly environment?: { readonly project: string; readonly name: string } | undefined;
  /** Why somebody signs in to the platform itself. */
  readonly wish: string;
  readonly problem?: string | undefined;
  /** Which of the forms the problem is about. */
  readonly refused?: 'password' | 'token' | undefined;
  /** What was typed before. */
  readonly email?: string | undefined;
  /** Where to sign in with the company's account, and whether passwords and tokens are taken beside it. */
  readonly companySignOn?: { readonly path: string; readonly isOnly: boolean } | undefined;
}

/** The page that asks who somebody is. */
export function signInPage({ environment, wish, problem, refused, email = '', companySignOn }: SignInPage): string {
  const wanted = environment
    ? `The environment <b>${escaped(environment.name)}</b> wants to know who you are.`
    : escaped(wish);
  return renderPage({
    title: `Sign in to ${environment?.project ?? 'the platform'}`,
    problem,
    html: [
      `<p>${wanted}</p>`,
      ...(companySignOn ? [companyLink(companySignOn.path)] : []),
      ...(companySignOn?.isOnly
        ? []
        : [passwordForm(email, problem !== undefined, refused === 'password'), tokenForm(refused === 'token')]),
    ].join('\n'),
  });
}

function companyLink(path: string): string {
  return `<p><a href="${escaped(path)}">Sign in with your company account</a></p>`;
}

const wrongField = ' aria-invalid="true" aria-describedby="problem"';

/** A problem has the focus, else the first field. */
function passwordForm(email: string, hasProblem: boolean, isWrong: boolean): string {
  const wrong = isWrong ? wrongField : '';
  const focus = hasProblem ? '' : ' autofocus';
  return `<form method="post">
  <label for="email">E-mail</label>
  <input id="email" name="email" type="email" autocomplete="username" value="${escaped(email)}" required${wrong}${focus}>
  <label for="password">Password</label>
  <input id="password" name="password" type="password" autocomplete="current-password" required${wrong}>
  <button>Sign in</button>
</form>`;
}

function tokenForm(isWrong: boolean): string {
  return `<details${isWrong ? ' open' : ''}>
  <summary>Sign in with a token</summary>
  <form method="post">
    <label for="token">Your token of this platform</label>
    <input id="token" name="token" type="password" autocomplete="off" required${isWrong ? wrongField : ''}>
    <button class="second">Sign in with the token</button>
  </form>
</details>`;
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
