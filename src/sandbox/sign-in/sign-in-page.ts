/** What the page says, as text: who is asked to sign in where, and why the try before was refused. */
export interface SignInPage {
  readonly project: string;
  readonly environment: string;
  readonly problem?: string;
}

export const signInPageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'",
} as const;

/** The page that asks for a token of the platform. */
export function signInPage({ project, environment, problem }: SignInPage): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Sign in to ${escaped(project)}</title>
<style>
  body { font: 16px/1.5 system-ui, sans-serif; max-width: 28rem; margin: 12vh auto; padding: 0 1rem; color: #1c2430 }
  input, button { font: inherit; width: 100%; box-sizing: border-box; padding: .6rem; margin-top: .5rem }
  [role=alert] { color: #a3172b }
</style>
<h1>Sign in to ${escaped(project)}</h1>
<p>The environment <b>${escaped(environment)}</b> wants to know who you are.</p>
${problem === undefined ? '' : `<p role="alert">${escaped(problem)}</p>`}
<form method="post">
  <label>Your token of this platform
    <input name="token" type="password" autocomplete="current-password" required autofocus>
  </label>
  <button>Sign in</button>
</form>
</html>
`;
}

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
