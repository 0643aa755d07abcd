import { renderSVG } from 'uqr';
import { escaped } from '#node/http/html-page';
import type { AskedFactors, OfferedFactors } from '../factors/factor-service.ts';
import { copyable, copyStatus } from '../server/copy-button.ts';

/** The forms that ask for a second factor or set one up, as HTML. The page that has them says where they are sent. */
export interface FactorForms {
  readonly action: string;
  /** Every form carries them. */
  readonly hidden: Readonly<Record<string, string>>;
}

/** Path of the script behind the forms of passkeys. */
export const passkeyScriptPath = '/passkey.js';

/** The browser itself turns JSON into what an authenticator understands, and back. */
export const passkeyScript = `for (const form of document.querySelectorAll('form[data-passkey]')) {
  const status = form.querySelector('[role=status]');
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    status.textContent = '';
    if (typeof window.PublicKeyCredential?.parseRequestOptionsFromJSON !== 'function') {
      status.textContent = 'This browser knows no passkeys. Use another way, or a newer browser.';
      return;
    }
    const options = JSON.parse(form.dataset.options);
    try {
      const credential =
        form.dataset.passkey === 'create'
          ? await navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options) })
          : await navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options) });
      form.elements.passkey.value = JSON.stringify(credential.toJSON());
    } catch (error) {
      status.textContent =
        error.name === 'InvalidStateError'
          ? 'This device has a passkey of yours already.'
          : 'There was no answer from the passkey. Try again, or use another way.';
      return;
    }
    form.submit();
  });
}
`;

/** The forms with which somebody gives a second factor. */
export function askingForms({ passkeyOptions, hasApp, hasOtherPasskeys }: AskedFactors, page: FactorForms): string {
  return [
    ...(passkeyOptions === undefined ? [] : [passkeyForm('get', 'check', passkeyOptions, '', page)]),
    ...(hasApp ? [appCodeForm(page, passkeyOptions !== undefined)] : []),
    ...(hasOtherPasskeys
      ? ['<p class="hint">You have passkeys for another address of the platform. Browsers do not offer them here.</p>']
      : []),
    recoveryForm(page),
  ].join('\n');
}

function appCodeForm(page: FactorForms, isSecond: boolean): string {
  return `${form(page, 'check')}
  <label for="code">Code of your authenticator app</label>
  <input id="code" name="code" inputmode="numeric" autocomplete="one-time-code" required${isSecond ? '' : ' autofocus'}>
  <button${isSecond ? ' class="second"' : ''}>Continue with the code</button>
</form>`;
}

function recoveryForm(page: FactorForms): string {
  return `<details>
  <summary>Use a recovery code</summary>
  ${form(page, 'check')}
    <label for="recoveryCode">Recovery code <span class="hint">(each is good once)</span></label>
    <input id="recoveryCode" name="recoveryCode" autocomplete="off" autocapitalize="none" spellcheck="false" required>
    <button class="second">Continue with the recovery code</button>
  </form>
  <p class="hint">Without any of them, ask another administrator of the project to reset your second factors.</p>
</details>`;
}

/** The forms with which somebody sets a second factor up. */
export function offeringForms({ passkeyOptions, app }: OfferedFactors, page: FactorForms): string {
  return [
    passkeyOptions === undefined
      ? noPasskeys
      : passkeyForm('create', 'add', passkeyOptions, nameField('passkey'), page),
    ...(app ? [appForm(app, page)] : []),
  ].join('\n');
}

const noPasskeys = `<p class="hint">There are no passkeys here: browsers make them for names of hosts with https and for
<code>localhost</code>, not for addresses such as 127.0.0.1.</p>`;

function appForm({ secret, uri }: NonNullable<OfferedFactors['app']>, page: FactorForms): string {
  const groups = (secret.match(/.{1,4}/g) ?? []).join(' ');
  return `<section aria-labelledby="app">
<h2 id="app">Authenticator app</h2>
<p>Scan this with an app such as Aegis, Google Authenticator or 1Password, or type the secret in.</p>
<div role="img" aria-label="QR code of the secret">${renderSVG(uri, { pixelSize: 4 })}</div>
<p><code>${escaped(groups)}</code></p>
${form(page, 'add')}
  ${nameField('app')}
  <label for="code">Code that the app shows</label>
  <input id="code" name="code" inputmode="numeric" autocomplete="one-time-code" required>
  <button class="second">Add the app</button>
</form>
</section>`;
}

function passkeyForm(kind: 'create' | 'get', deed: string, options: string, fields: string, page: FactorForms): string {
  const label = kind === 'create' ? 'Add a passkey' : 'Use your passkey';
  return `${form(page, deed, ` data-passkey="${kind}" data-options="${escaped(options)}"`)}
  <input type="hidden" name="passkey">
  ${fields}
  <button${kind === 'get' ? ' autofocus' : ''}>${label}</button>
  <p class="hint" role="status"></p>
  <noscript><p>Passkeys need JavaScript.</p></noscript>
</form>`;
}

function nameField(kind: 'app' | 'passkey'): string {
  const [label, name] = kind === 'app' ? ['Name of the app', 'Authenticator app'] : ['Name of the passkey', 'Passkey'];
  return `<label for="${kind}-name">${label}</label>
  <input id="${kind}-name" name="name" maxlength="100" value="${name}" autocomplete="off" required>`;
}

/** Codes that no page shows again. */
export function recoveryCodesOf(codes: readonly string[]): string {
  return `<div role="status">
<p>Keep these recovery codes where you find them without this device. Each signs you in once, in the place of the second factor.
They are not shown again.</p>
<pre>${copyable({ id: 'recovery-codes', text: codes.join('\n'), name: 'the recovery codes' })}</pre>
</div>
${copyStatus}`;
}

/** The beginning of a form. */
export function form({ action, hidden }: FactorForms, deed: string, attributes = ''): string {
  const fields = Object.entries({ ...hidden, do: deed }).map(
    ([name, value]) => `  <input type="hidden" name="${name}" value="${escaped(value)}">`,
  );
  return `<form method="post" action="${escaped(action)}"${attributes}>\n${fields.join('\n')}`;
}
