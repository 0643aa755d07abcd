import type { OAuthClientProvider } from '@modelcontextprotocol/sdk/client/auth.js';
import type {
  OAuthClientInformationMixed,
  OAuthClientMetadata,
  OAuthTokens,
} from '@modelcontextprotocol/sdk/shared/auth.js';

/** What an application keeps that uses the official client. */
export class KeptAuthorization implements OAuthClientProvider {
  readonly redirectUrl = 'http://127.0.0.1:41002/callback';
  readonly clientMetadata: OAuthClientMetadata;
  asked: URL | undefined;
  information: OAuthClientInformationMixed | undefined;
  kept: OAuthTokens | undefined;
  #verifier = '';

  /** @param scope of the request; default: what the challenge of the server names. */
  constructor(scope?: string) {
    this.clientMetadata = {
      client_name: 'Official client',
      redirect_uris: [this.redirectUrl],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
      ...(scope === undefined ? {} : { scope }),
    };
  }

  state = () => 'state of the client';
  clientInformation = () => this.information;
  tokens = () => this.kept;
  codeVerifier = () => this.#verifier;

  saveClientInformation(information: OAuthClientInformationMixed): void {
    this.information = information;
  }

  saveTokens(tokens: OAuthTokens): void {
    this.kept = tokens;
  }

  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier;
  }

  redirectToAuthorization(url: URL): void {
    this.asked = url;
  }
}
