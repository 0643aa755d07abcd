import type { McpScope } from '#contracts/mcp';
import { escaped, renderPage } from '#node/http/html-page';
import { destinationOf, isOfThisMachine } from './redirect-uris.ts';
import { scopeInWords } from './scope-in-words.ts';

/** What a client wants, and of whom. */
export interface ConsentPage {
  readonly client: {
    readonly id: string;
    readonly name: string | undefined;
    readonly redirectUris: readonly string[];
  };
  readonly redirectUri: string;
  readonly scopes: readonly McpScope[];
  readonly person: { readonly email: string };
  /** Proves that the form comes from this page. */
  readonly formToken: string;
  readonly problem?: string | undefined;
}

/** The page on which a person lets a client in, or not. All that the client says of itself is marked as its own words. */
export function consentPage({ client, redirectUri, scopes, person, formToken, problem }: ConsentPage): string {
  const name = escaped(shownName(client));
  return renderPage({
    title: `Connect ${shownName(client)}?`,
    problem,
    html: `<p>A program that calls itself <b>${name}</b> wants to use this server for <b>${escaped(person.email)}</b>.</p>
<dl>
<dt>Answer goes to</dt><dd><code>${escaped(destinationOf(redirectUri))}</code></dd>
${isDocument(client.id) ? `<dt>Described at</dt><dd><code>${escaped(client.id)}</code></dd>\n` : ''}</dl>
${isOfThisMachine(client.redirectUris) ? localWarning : ''}<form method="post">
<input type="hidden" name="token" value="${escaped(formToken)}">
<fieldset><legend>It may</legend>
${scopes.map(checkbox).join('\n')}
</fieldset>
<button name="answer" value="allow">Allow</button>
<button name="answer" value="deny" class="second">Deny</button>
</form>
<p class="hint">You can do no more through it than you may do yourself. Each authorization asks you again.</p>`,
  });
}

const localWarning = `<p class="hint">Any program on this computer can call itself so. Allow it only if you have just started it yourself.</p>
`;

function checkbox(scope: McpScope): string {
  return `<label class="choice"><input type="checkbox" name="scope" value="${scope}" checked>${scopeInWords[scope]}</label>`;
}

/** The name of a client without characters that are not seen or that turn the text around them. */
function shownName({ id, name = '' }: ConsentPage['client']): string {
  const seen = name.replaceAll(/\p{C}/gu, '').trim().slice(0, 100);
  if (seen !== '') return seen;
  return isDocument(id) ? new URL(id).host : 'an application without a name';
}

function isDocument(clientId: string): boolean {
  return clientId.startsWith('https:');
}
