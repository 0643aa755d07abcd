import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Client, errors, type Provider } from 'oidc-provider';
import { allOfCollection, type ClientRights, clientRightsSchema } from '#contracts/client-rights';
import type { McpScope } from '#contracts/mcp';
import { escaped, renderPage } from '#node/http/html-page';
import { sha256Hex } from '#node/system/digest';
import { isSameSecret } from '#node/system/secrets';
import { resourceOf } from '../mcp-routes.ts';
import { askPlatform } from './ask-platform.ts';
import { readOauthBody, sendPage, sendProblemPage } from './oauth-http.ts';
import { grantSeconds, type McpAuthorizationOptions } from './oauth-options.ts';
import type { PersonSignIn } from './person-sign-in.ts';
import { knownScopesIn, scopeInWords } from './provider-features.ts';
import {
  type ClientDocument,
  destinationOf,
  isOfThisMachine,
  keepClientDocument,
  shownClientName,
} from './registration.ts';

/** The steps between the request of a client and its answer that a person takes. */
export interface Consent {
  /** The page that asks the person, who signs in first. */
  show(request: IncomingMessage, response: ServerResponse, uid: string): Promise<void>;
  /** What the person has answered. */
  decide(request: IncomingMessage, response: ServerResponse, uid: string): Promise<void>;
}

export function createConsent(options: McpAuthorizationOptions, provider: Provider, signIn: PersonSignIn): Consent {
  const { place, platform, clock } = options;

  /** The authorization that is under way in the browser, and who has signed in for it; otherwise the answer is sent. */
  async function openConsent(request: IncomingMessage, response: ServerResponse, uid: string) {
    const details = await provider.interactionDetails(request, response).catch((error: unknown) => {
      if (error instanceof errors.SessionNotFound) return undefined;
      throw error;
    });
    const client = details?.uid === uid ? await provider.Client.find(String(details.params['client_id'])) : undefined;
    if (!details || !client) {
      sendProblemPage(response, 400, 'Nothing is asked in this browser any more, or it has taken too long.');
      return undefined;
    }
    const signedIn = await signIn.find(request, uid);
    if (!signedIn) {
      await signIn.begin(response, uid);
      return undefined;
    }
    const { personId, endsAt } = signedIn;
    const person = personId === undefined ? undefined : await askPlatform(() => platform.person(personId));
    if (!person) {
      const why = 'The person did not sign in, or is not a member of the project.';
      await refuse(provider, request, response, why);
      return undefined;
    }
    const scope = details.params['scope'];
    const scopes = knownScopesIn(typeof scope === 'string' ? scope : undefined);
    const redirectUri = String(details.params['redirect_uri']);
    const collections = await options.browsable(person);
    return { client, person, scopes, redirectUri, collections, endsAt, formToken: formTokenOf(signedIn.cookie) };
  }

  return {
    async show(request, response, uid) {
      const opened = await openConsent(request, response, uid);
      if (opened) showPage(response, opened);
    },
    async decide(request, response, uid) {
      const form = new URLSearchParams(await readOauthBody(request));
      const opened = await openConsent(request, response, uid);
      if (!opened) return;
      const { origin } = request.headers;
      if (
        (origin !== undefined && origin !== place.origin) ||
        !isSameSecret(form.get('token') ?? '', opened.formToken)
      ) {
        return sendProblemPage(response, 403, 'The answer does not come from the page that asked.');
      }
      if (form.get('answer') !== 'allow') {
        signIn.end(response, uid);
        return refuse(provider, request, response, 'The person has denied it.');
      }
      const scopes = opened.scopes.filter((scope) => form.getAll('scope').includes(scope));
      if (scopes.length === 0) return showPage(response, opened, 'Choose at least one thing that it may do.');
      const rights = chosenRights(form, opened.collections);
      if (rights instanceof Error) return showPage(response, opened, rights.message);
      const { client, person, endsAt = Number.POSITIVE_INFINITY } = opened;
      const now = Math.floor(clock.now() / 1000);
      if (endsAt <= now) {
        return refuse(provider, request, response, 'The token that the person signed in with has ended.');
      }
      const accountId = String(person.id);
      const grant = new provider.Grant({ clientId: client.clientId, accountId });
      grant.exp = Math.min(endsAt, now + grantSeconds);
      grant.addResourceScope(resourceOf(place), scopes.join(' '));
      if (isDescribedByDocument(client))
        await askPlatform(() => keepClientDocument(platform.mcpState, documentOf(client)));
      const grantId = await grant.save();
      if (rights) await askPlatform(() => platform.mcpState.setGrantRights(sha256Hex(grantId), rights));
      signIn.end(response, uid);
      const result = { login: { accountId, remember: false }, consent: { grantId } };
      await provider.interactionFinished(request, response, result);
    },
  };
}

type Asked = Pick<ConsentPage, 'person' | 'scopes' | 'collections' | 'redirectUri' | 'formToken'> & {
  readonly client: Client;
};

function showPage(
  response: ServerResponse,
  { client, person, scopes, collections, redirectUri, formToken }: Asked,
  problem?: string,
): void {
  const { clientId: id, clientName: name, redirectUris = [] } = client;
  const shown = { id, name, redirectUris };
  const page = consentPage({ client: shown, person, scopes, collections, redirectUri, formToken, problem });
  sendPage(response, problem === undefined ? 200 : 422, page, [formTargetOf(redirectUri)]);
}

async function refuse(provider: Provider, request: IncomingMessage, response: ServerResponse, why: string) {
  await provider.interactionFinished(request, response, { error: 'access_denied', error_description: why });
}

function isDescribedByDocument({ clientId }: Client): boolean {
  return clientId.startsWith('https:');
}

function documentOf({ clientId, clientName, redirectUris = [] }: Client): ClientDocument {
  const name = clientName === undefined ? {} : { client_name: clientName };
  return { client_id: clientId, ...name, redirect_uris: redirectUris };
}

/** Derived from what only the cookie of this browser has. */
function formTokenOf(cookie: string): string {
  return createHash('sha256').update(`form of ${cookie}`).digest('base64url');
}

/** Browsers apply the rule for forms to the redirects that follow. */
function formTargetOf(redirectUri: string): string {
  const { protocol, origin } = new URL(redirectUri);
  return /^https?:$/.test(protocol) ? origin : protocol;
}

/** What a client wants, and the person that it asks. */
interface ConsentPage {
  readonly client: {
    readonly id: string;
    readonly name: string | undefined;
    readonly redirectUris: readonly string[];
  };
  readonly redirectUri: string;
  readonly scopes: readonly McpScope[];
  /** Those that the person may browse. */
  readonly collections: readonly string[];
  readonly person: { readonly email: string };
  /** Proves that the form comes from this page. */
  readonly formToken: string;
  readonly problem?: string | undefined;
}

/** The page on which a person lets a client in, or not. All that the client says of itself is marked as its own words. */
function consentPage({ client, redirectUri, scopes, collections, person, formToken, problem }: ConsentPage): string {
  const name = escaped(shownClientName(client));
  return renderPage({
    title: `Connect ${shownClientName(client)}?`,
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
<details><summary>Let it do less</summary>
<fieldset><legend>In these collections only</legend>
<p class="hint">Choose none for all that you may use.</p>
${collections.map((name) => `<label class="choice"><input type="checkbox" name="collection" value="${escaped(name)}">${escaped(name)}</label>`).join('\n')}
</fieldset>
<label>Records in one call, at most <input type="number" name="recordsPerCall" min="1"></label>
<label>Writes in an hour, at most <input type="number" name="writesPerHour" min="0"></label>
</details>
<button name="answer" value="allow">Allow</button>
<button name="answer" value="deny" class="second">Deny</button>
</form>
<p class="hint">You can do no more through it than you may do yourself. Each authorization asks you again.</p>`,
  });
}

const localWarning = `<p class="hint">Any program on this computer can call itself so. Allow it only if you have just started it yourself.</p>
`;

/** What the person lets the client do at most; `undefined` for all that they may do themselves. */
function chosenRights(form: URLSearchParams, known: readonly string[]): ClientRights | Error | undefined {
  const chosen = form.getAll('collection');
  const unknown = chosen.find((name) => !known.includes(name));
  if (unknown !== undefined) return new Error(`You may not browse "${unknown}".`);
  const number = (name: string) => {
    const text = form.get(name) ?? '';
    return text === '' ? undefined : Number(text);
  };
  const { recordsPerCall, writesPerHour } = {
    recordsPerCall: number('recordsPerCall'),
    writesPerHour: number('writesPerHour'),
  };
  const rights = {
    ...(chosen.length > 0 ? { collections: Object.fromEntries(chosen.map((name) => [name, allOfCollection])) } : {}),
    ...(recordsPerCall === undefined ? {} : { recordsPerCall }),
    ...(writesPerHour === undefined ? {} : { writesPerHour }),
  };
  if (Object.keys(rights).length === 0) return undefined;
  const read = clientRightsSchema.safeParse(rights);
  return read.success
    ? read.data
    : new Error('The numbers are whole ones: of records at least 1, of writes at least 0.');
}

function checkbox(scope: McpScope): string {
  return `<label class="choice"><input type="checkbox" name="scope" value="${scope}" checked>${scopeInWords[scope]}</label>`;
}

function isDocument(clientId: string): boolean {
  return clientId.startsWith('https:');
}
