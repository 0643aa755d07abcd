import { escaped, renderPage } from '#node/http/html-page';

/** The page that asks for the code a device or the command line shows. `form` comes from the provider, as HTML. */
export function userCodePage(form: string, problem: string | undefined): string {
  return renderPage({
    title: 'Connect the command line',
    problem,
    html: `<p>Enter the code that your terminal shows.</p>
${labelled(form)}
<button type="submit" form="op.deviceInputForm">Continue</button>`,
  });
}

/** The page that asks whether this is the code. */
export function confirmCodePage(form: string, userCode: string): string {
  return renderPage({
    title: 'Is this the code of your terminal?',
    html: `<p><code class="large">${escaped(userCode)}</code></p>
<p>Continue only when you began this yourself and your terminal shows the same code: it will be able to act for you.</p>
${form}
<button type="submit" form="op.deviceConfirmForm" autofocus>Yes, continue</button>
<button type="submit" form="op.deviceConfirmForm" value="yes" name="abort" class="second">No, cancel</button>`,
  });
}

export function deviceDonePage(): string {
  return renderPage({ title: 'You are signed in', html: '<p>Go back to your terminal. You can close this page.</p>' });
}

export function signOutPage(form: string): string {
  return renderPage({
    title: 'Sign out of the platform?',
    html: `<p>Agents that you have signed in to keep you signed in until their own sessions end, an hour at most.</p>
${form}
<button type="submit" form="op.logoutForm" name="logout" value="yes" autofocus>Sign out</button>`,
  });
}

export function signedOutPage(): string {
  return renderPage({ title: 'You are signed out', html: '<p>You can close this page.</p>' });
}

/** The provider's own field has no label, and a script that the page does not allow. */
function labelled(form: string): string {
  const part = (pattern: RegExp) => pattern.exec(form)?.[1] ?? '';
  return `<form id="op.deviceInputForm" method="post" action="${part(/action="([^"]*)"/)}">
  <input type="hidden" name="xsrf" value="${part(/name="xsrf" value="([^"]*)"/)}">
  <label for="user_code">Code</label>
  <input id="user_code" name="user_code" value="${part(/(?:^|name="user_code")\s*value="([^"]*)"/m)}" autocomplete="off" autocapitalize="characters" required autofocus>
</form>`;
}
